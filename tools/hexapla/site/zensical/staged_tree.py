"""A project as one tree of Markdown and one configuration a language, for an engine that runs no plugins.

What other plugins do to a page's Markdown is in it too, since their events make it; what they do to HTML is not.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import yaml
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from hexapla.errors import ConfigError
from hexapla.site.language_site import LanguageSite, make_language_sites
from hexapla.site.page import snippet_pages
from hexapla.site.page.alternate_links import absolute_alternates
from hexapla.site.page.page_renderer import read_markdown
from hexapla.site.page.site_files import as_localized_file
from hexapla.site.plugin import HexaplaPlugin
from hexapla.site.state import BuildState, CurrentBuild
from hexapla.site.upstream.theme_contract import OWN
from hexapla.site.zensical.zensical_config import make_configuration, read_templates

SHARED = "shared"  # the folder of what belongs to no language


class OpenedProject(NamedTuple):
    """The sites of a project's languages, with what their build knows."""

    root: Path
    sites: Sequence[LanguageSite]
    current: CurrentBuild


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
                yield OpenedProject(root, sites, plugin.current)
            finally:
                config.plugins.on_shutdown()
        except MkDocsException as error:
            raise ConfigError(str(error)) from error


def make_tree(staged: OpenedProject) -> dict[str, bytes]:
    """The files of the tree, by their paths in it."""
    files: dict[str, bytes] = {}
    state = staged.current.state
    for site in staged.sites:
        for name, data in static_files(site):
            files[f"{site.language}/docs/{name}"] = data
        for file in site.pages:
            path = f"{site.language}/docs/{page_path(file)}"
            files[path] = page_text(staged, site, file.src_uri).encode()
        settings = make_configuration(site, state.languages, page_path, staged.root)
        for name, text in {"mkdocs.yml": settings, **read_templates()}.items():
            files[f"{site.language}/{name}"] = text.encode()
    config = staged.sites[0].config
    included = {each.path for page in state.sources.pages.values() for each in page.includes}
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
    page = site.page(path)
    markdown = read_markdown(site, page)
    meta = {**page.meta, "hexapla": page_settings(page, site, staged.current.state)}
    front = yaml.safe_dump(meta, allow_unicode=True, sort_keys=False, width=1000)
    return f"---\n{front}---\n\n{markdown}"


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
