"""Writes what is no page of Markdown: the templates of the theme, such as 404.html, the project's, and static files."""

import gzip
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, Template
from mkdocs.commands.build import get_context
from mkdocs.structure.files import Files
from mkdocs.utils import get_build_timestamp, get_relative_url, is_error_template, write_file

from hexapla.site.language_site import LanguageSite
from hexapla.site.upstream.theme_contract import OWN

TEXT = r"/\*(?:[^*]|\*(?!/))*\*/[ \t]*"
UNREAD = re.compile(rf"^[ \t]*{TEXT}\n|[ \t]+{TEXT}$|^[ \t]+", re.M)  # a comment of whole lines or at an end, an indent
BETWEEN = re.compile(r"\s*([{};,])\s*")  # around a mark of a style sheet; no text of ours has one
LOG = logging.getLogger("mkdocs.plugins.hexapla")


def copy_static_files(sites: Sequence[LanguageSite]) -> None:
    """Copy what is no page, once: all languages share the theme's files."""
    files = {file.abs_dest_path: file for site in sites for file in site.files}
    Files(files.values()).copy_static_files()


def strip_assets(site: Path) -> None:
    """Take what no browser reads out of our styles and scripts in a site: a fifth of what every page loads of them."""
    for file in OWN.rglob("*"):
        target = site / file.relative_to(OWN)
        if file.suffix in {".css", ".js"} and target.is_file() and target.read_bytes() == file.read_bytes():
            text = UNREAD.sub("", file.read_text("utf-8"))
            target.write_text(BETWEEN.sub(r"\1", text) if file.suffix == ".css" else text, "utf-8")


def write_templates(sites: Sequence[LanguageSite], env: Environment) -> None:
    """Write the theme's pages that are made of no Markdown, such as 404.html, and the project's own."""
    for site in sites:
        site.enter()
        for name in sorted(site.config.theme.static_templates):
            write_template(site, name, env.get_template(name), Path(site.config.site_dir, name))
        for name in site.config.extra_templates:
            file = site.files.get_file_from_path(name)
            if file is None:
                LOG.warning("Template skipped: '%s' not found in docs_dir.", name)
            else:
                write_template(site, str(name), Template(file.content_string), Path(file.abs_dest_path))


def template_text(site: LanguageSite, name: str, template: Template) -> str:
    """Render a template that belongs to no page, by MkDocs' events."""
    plugins, config = site.config.plugins, site.config
    template = plugins.on_pre_template(template, template_name=name, config=config)
    base_url = urlsplit(config.site_url or "/").path if is_error_template(name) else get_relative_url(".", name)
    context = get_context(site.nav, site.files, config, base_url=base_url)
    context = plugins.on_template_context(context, template_name=name, config=config)
    return str(plugins.on_post_template(template.render(context), template_name=name, config=config))


def write_template(site: LanguageSite, name: str, template: Template, target: Path) -> None:
    """Write the page that a template makes, and the packed sitemap."""
    text = template_text(site, name, template)
    if not text.strip():
        return
    write_file(text.encode("utf-8"), str(target))
    if name == "sitemap.xml":
        pages = [file.page for file in site.pages if file.page is not None]
        with target.with_name(f"{name}.gz").open("wb") as file, gzip.GzipFile(
            filename=f"{target}.gz", mode="wb", fileobj=file, mtime=get_build_timestamp(pages=pages),
        ) as packed:
            packed.write(text.encode("utf-8"))
