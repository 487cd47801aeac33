"""A project as one tree of Markdown and one configuration a language, for an engine that runs no plugins.

What other plugins do to a page's Markdown is in it too, since their events make it; what they do to HTML is not. All
that is no page is taken from the site that MkDocs builds: search, Markdown for programs, snippets, redirects.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlsplit

import yaml
from jinja2 import Environment
from mkdocs.commands.build import get_context
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException
from mkdocs.structure import StructureItem
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.structure.nav import Link, Section
from mkdocs.structure.pages import Page

from hexapla.errors import ConfigError
from hexapla.site.build.builder import build_sites
from hexapla.site.language_site import LanguageSite, make_language_sites
from hexapla.site.page.alternate_links import absolute_url
from hexapla.site.page.page_extension import EXTENSION
from hexapla.site.page.page_renderer import read_markdown
from hexapla.site.page.site_files import as_localized_file
from hexapla.site.plugin import HexaplaPlugin
from hexapla.site.state import BuildState
from hexapla.site.upstream.theme_contract import OWN

SHARED = "shared"  # the folder of what is no page and no file of docs
TEMPLATES = Path(__file__).parent
PARTS = ("head", "menu", "actions", "beside")  # of a page, as the theme makes them
COPIED = ("site_name", "site_description", "site_author", "copyright", "repo_url", "repo_name", "use_directory_urls",
          "extra_css")


class BuiltProject(NamedTuple):
    """The sites of a project's languages as MkDocs has built them, with the environment of their templates."""

    root: Path
    sites: Sequence[LanguageSite]
    env: Environment
    state: BuildState

    def own_folder(self, language: str) -> str:
        """The folder of a language in the site, "" for the source."""
        return "" if language == self.state.source else f"{language}/"


@contextmanager
def build_project(root: Path) -> Iterator[BuiltProject]:
    """Build the project at `root`; its site is there meanwhile. Raises ConfigError for whatever stops a build."""
    file = root / "mkdocs.yml"
    with TemporaryDirectory() as folder:
        try:
            config = load_config(str(file), site_dir=str(Path(folder, "site")))
            plugin = config.plugins.get("hexapla")
            if not isinstance(plugin, HexaplaPlugin):
                raise ConfigError(f"{file}: has no hexapla plugin; add it, or run hexapla init")
            plugin.mkdocs_builds = False
            config.plugins.on_startup(command="build", dirty=False)
            try:
                sites = make_language_sites(config, serving=False)
                yield BuiltProject(root, sites, build_sites(sites, config, plugin.current), plugin.state)
            finally:
                config.plugins.on_shutdown()
        except MkDocsException as error:
            raise ConfigError(str(error)) from error


def make_tree(built: BuiltProject) -> dict[str, bytes]:
    """The files of the tree, by their paths in it."""
    files: dict[str, bytes] = {}
    for site in built.sites:
        site.enter()
        for name, data in static_files(site):
            files[f"{site.language}/docs/{name}"] = data
        for file in site.pages:
            files[f"{site.language}/docs/{page_path(file)}"] = page_text(built, site, file.src_uri).encode()
        files[f"{site.language}/mkdocs.yml"] = make_configuration(built, site).encode()
        for each in sorted(TEMPLATES.rglob("*.html")):
            files[f"{site.language}/overrides/{each.relative_to(TEMPLATES).as_posix()}"] = each.read_bytes()
    return files | dict(shared_files(built))


def shared_files(built: BuiltProject) -> Iterator[tuple[str, bytes]]:
    """What the site has besides pages and the files of docs and themes."""
    others = {file.dest_uri for site in built.sites for file in site.files}
    for file in sorted(built.state.site.rglob("*")):
        name = file.relative_to(built.state.site).as_posix()
        if file.is_file() and name not in others and file.name != "404.html":
            yield f"{SHARED}/{name}", file.read_bytes()


def page_path(file: File) -> str:
    """A page's path below its language's folder."""
    return as_localized_file(file).norm_src_uri


def static_files(site: LanguageSite) -> Iterator[tuple[str, bytes]]:
    """The files that are no pages and no theme's but ours, by their paths below a language's folder."""
    others = {folder for folder in site.config.theme.dirs if folder != str(OWN)}
    for file in site.files:
        if file.is_documentation_page() or file.src_dir in others:
            continue
        if file.inclusion is not InclusionLevel.EXCLUDED:
            yield file.dest_uri.removeprefix(f"{site.language}/"), file.content_bytes


def page_text(built: BuiltProject, site: LanguageSite, path: str) -> str:
    """The file of the page at a path in docs: its front matter, with what the templates show, and its Markdown."""
    page, config = site.page(path), site.config
    page.content = ""  # it was taken from the page once that was written, and plugins look at it
    context = get_context(site.nav, site.pages, config, page)
    context = config.plugins.on_page_context(context, page=page, config=config, nav=site.nav)
    shown = {name: built.env.get_template(f"parts/{name}.html").render(context).strip() for name in PARTS}
    markdown = read_markdown(site, page)
    meta = {**page.meta, "hexapla": {"canonical": page.canonical_url, **shown}}
    front = yaml.safe_dump(meta, allow_unicode=True, sort_keys=False, width=1000)
    return f"---\n{front}---\n\n{markdown}"


def make_configuration(built: BuiltProject, site: LanguageSite) -> str:
    """A language's mkdocs.yml."""
    config, own = site.config, built.own_folder(site.language)
    # Sets, and an object of Babel's, are no YAML. Zensical's own theme has Material's look as a variant.
    theme = {name: value for name, value in config.theme.items() if name not in {"static_templates", "locale"}}
    missing = built.env.get_template("parts/missing.html").render(
        base_url=urlsplit(config.site_url or "/").path, hexapla_language=site.language,
        hexapla_languages=[*built.state.languages],
    )
    settings: dict[str, object] = {
        **{name: config[name] for name in COPIED},
        "site_url": absolute_url(config.site_url, own) if config.site_url else None,
        "edit_uri": "",
        "theme": {"variant": "classic", **theme, "name": "material", "custom_dir": "overrides"},
        "extra_javascript": [str(each) for each in config.extra_javascript],
        "markdown_extensions": list_extensions(site, built.root),
        "plugins": ["search"],
        "extra": {**config.extra, "alternate": True, "hexapla": missing},
        "nav": [make_nav_entry(item, site) for item in site.nav.items],
        # What pages link to in the joined site is checked when it is staged.
        "validation": {"not_found": "ignore", "anchors": "ignore"},
    }
    kept = {name: value for name, value in settings.items() if value is not None}
    return yaml.dump(kept, allow_unicode=True, sort_keys=False, width=1000)


def list_extensions(site: LanguageSite, root: Path) -> list[object]:
    """The extensions of Markdown, of ours the one that pages need."""
    names = [name for name in site.config.markdown_extensions if not name.startswith("hexapla.")]
    options = {name: dict(site.config.mdx_configs.get(name) or {}) for name in names}
    options[EXTENSION] = {"project": str(root), "language": site.language}
    return [{name: given} if given else name for name, given in options.items()]


def make_nav_entry(item: StructureItem, site: LanguageSite) -> object:
    """An entry of the navigation."""
    if isinstance(item, Section):
        return {item.title: [make_nav_entry(each, site) for each in item.children]}
    if isinstance(item, Page):
        return {str(item.title): page_path(item.file)} if item.file.src_uri in site.titled else page_path(item.file)
    assert isinstance(item, Link)
    return {str(item.title): item.url}
