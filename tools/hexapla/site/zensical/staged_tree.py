"""A project as one tree of Markdown and one configuration a language, for an engine that runs no plugins.

What other plugins do to a page's Markdown is in it too, since their events make it; what they do to HTML is not.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from posixpath import dirname, normpath, relpath
from tempfile import TemporaryDirectory
from typing import NamedTuple

import yaml
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from hexapla.config.discovery import layout_of_project
from hexapla.errors import ConfigError
from hexapla.pages.dialects import make_dialect
from hexapla.pages.reader import Dialect, read
from hexapla.site.language_site import LanguageSite, make_language_sites
from hexapla.site.page import snippet_pages
from hexapla.site.page.alternate_links import absolute_alternates, as_localized_file
from hexapla.site.page.page_content import identify_page
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.page.page_renderer import read_markdown
from hexapla.site.plugin import HexaplaPlugin
from hexapla.site.state import BuildState, CurrentBuild
from hexapla.site.upstream.theme_contract import OWN
from hexapla.site.zensical.staged_markdown import complete_markdown
from hexapla.site.zensical.zensical_config import make_configuration, read_templates

SHARED = "shared"  # the folder of what belongs to no language


class OpenedProject(NamedTuple):
    """The sites of a project's languages, with what their build knows."""

    root: Path
    sites: Sequence[LanguageSite]
    current: CurrentBuild
    dialect: Dialect


@contextmanager
def open_project(root: Path) -> Iterator[OpenedProject]:
    """The sites of the project at `root`. Raises ConfigError for whatever stops a build."""
    file = root / "mkdocs.yml"
    with TemporaryDirectory() as folder:
        try:
            config = load_config(str(file), site_dir=str(Path(folder, "site")))
            plugin = config.plugins.get("hexapla")
            if not isinstance(plugin, HexaplaPlugin):
                raise ConfigError(f"{file}: has no hexapla plugin; add it, or run hexapla init")
            config.plugins.on_startup(command="build", dirty=False)
            try:
                sites = make_language_sites(config, serving=False)
                layout = layout_of_project(plugin.state.sources.project, plugin.state.settings)
                yield OpenedProject(root, sites, plugin.current, make_dialect(layout.anchors, layout.extensions))
            finally:
                config.plugins.on_shutdown()
        except MkDocsException as error:
            raise ConfigError(str(error)) from error


def make_tree(staged: OpenedProject) -> dict[str, bytes]:
    """The files of the tree, by their paths in it."""
    files: dict[str, bytes] = {}
    included: set[str] = set()
    state = staged.current.state
    for site in staged.sites:
        for name, data in static_files(site):
            files[f"{site.language}/docs/{name}"] = data
        for file in site.pages:
            path = f"{site.language}/docs/{page_path(file)}"
            files[path] = page_text(staged, site, file.src_uri).encode()
            included |= {reading[1] for reading in staged.current.page.inputs.readings if reading[0] == "code"}
        settings = make_configuration(site, state.languages, page_path)
        for name, text in {"mkdocs.yml": settings, **read_templates()}.items():
            files[f"{site.language}/{name}"] = text.encode()
    config = staged.sites[0].config
    for url, data in snippet_pages.snippet_files(state.sources, included, config):
        files[f"{SHARED}/{url}"] = data
    for url, text in state.status.status_files(state.language_names):
        files[f"{SHARED}/{url}"] = text.encode()
    return files


def page_path(file: File) -> str:
    """A page's path below its language's folder."""
    return as_localized_file(file).norm_src_uri


def static_path(file: File, language: str) -> str:
    """The path below a language's folder of a file that is no page."""
    return file.dest_uri.removeprefix(f"{language}/")


def static_files(site: LanguageSite) -> Iterator[tuple[str, bytes]]:
    """The files that are no pages and no theme's but ours."""
    others = {folder for folder in site.config.theme.dirs if folder != str(OWN)}
    for file in site.files:
        if file.is_documentation_page() or file.src_dir in others:
            continue
        if file.inclusion is not InclusionLevel.EXCLUDED:
            yield static_path(file, site.language), file.content_bytes


def page_text(staged: OpenedProject, site: LanguageSite, path: str) -> str:
    """The file of the page at a path in docs: its front matter, with what the templates ask for, and its Markdown."""
    site.enter()
    state, page = staged.current.state, site.page(path)
    markdown, source = read_markdown(site, page), state.source
    inputs = staged.current.page.inputs
    markdown = relocate_links(markdown, page, site, staged.dialect, inputs, source)
    identity = identify_page(page, site.language, path in state.sources.derived, site.config)
    own = "" if site.language == source else f"{site.language}/"
    identity = identity._replace(url=f"{own}{page_path(page.file)}")  # links in HTML lead from the file, as others do
    text = complete_markdown(markdown, staged.current.page.included, identity, inputs, source)
    meta = {**page.meta, "hexapla": page_settings(page, site, state)}
    front = yaml.safe_dump(meta, allow_unicode=True, sort_keys=False, width=1000)
    return f"---\n{front}---\n\n{text}"


def page_settings(page: Page, site: LanguageSite, state: BuildState) -> dict[str, object]:
    """What the templates show of a page's other languages."""
    urls, available = state.alternates(page.file)
    settings: dict[str, object] = {"menu": [
        {"lang": code, "name": name, "link": get_relative_url(urls[code], page.url)}
        for code in urls if (name := state.languages.get(code))
    ]}
    if site.config.site_url:
        absolute = absolute_alternates(urls, available, site.config.site_url, state.source)
        settings["alternates"] = [{"lang": code, "href": url} for code, url in absolute.items()]
        settings["canonical"] = page.canonical_url
    if page.edit_url:
        settings["edit"] = page.edit_url
    return settings


def relocate_links(
    markdown: str, page: Page, site: LanguageSite, dialect: Dialect, inputs: PageInputs, source: str
) -> str:
    """A page's Markdown with its links to files as they are from its place in the tree, pictures in its language."""
    written = as_localized_file(page.file).locale
    if "../" not in markdown and (written == source or f"-{source}-" not in markdown):
        return markdown
    above = dirname(page_path(page.file))
    for link in sorted(read(markdown, dialect).links, key=lambda each: -each.offset):
        target, mark, rest = link.written.partition("#")
        file = site.files.get_file_from_path(normpath(f"{dirname(page.file.src_uri)}/{target}")) if target else None
        if file is None or link.offset < 0 or file.is_documentation_page():
            continue
        new = relpath(static_path(file, site.language), above or ".")
        named = new.rpartition("/")[2].replace(f"-{source}-", f"-{written.lower()}-", 1)
        if link.image and inputs.read(SiteInputs.image, named):
            new = f"{new.rpartition('/')[0]}/{named}".lstrip("/")
        markdown = f"{markdown[:link.offset]}{new}{mark}{rest}{markdown[link.offset + len(link.written):]}"
    return markdown
