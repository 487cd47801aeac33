"""Rendered pages, kept from build to build: contents in the project's cache by what they read.

What is large of a content is an answer of its own: a build in which a page has not changed needs the rest alone. Whole
pages are in the site before; the cache has a digest of each by what it shows.

A page whose front matter JSON cannot hold is not kept. Whatever a plugin or a Markdown extension of others reads is
unknown, so with one that touches pages nothing is kept.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

from markdown import Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure import StructureItem
from mkdocs.structure.pages import Page
from mkdocs.theme import Theme
from pathspec import PathSpec

from hexapla.cache import Cache, digest, key_of
from hexapla.config.project import Project
from hexapla.site.language_site import LanguageSite
from hexapla.site.page.navigation_titles import NAV_TITLE, PART_TITLE
from hexapla.site.page.page_inputs import SiteInputs
from hexapla.site.page.page_renderer import LoggedMessage, PageContent
from hexapla.site.search.search_sections import SearchEntry, SearchSection
from hexapla.site.upstream.contract import name_with_version
from hexapla.site.upstream.mkdocs_build import touches_pages
from hexapla.site.upstream.theme_contract import OWN
from hexapla.translation.new_language import strings_path

# Packages that pages are rendered with; the cache knows the versions of those that read them.
PACKAGES = ("jinja2", "mkdocs", "mkdocs-material", "mkdocs-materialx", "mkdocs-static-i18n", "properdocs",
            "pymdown-extensions")
# Settings that say where a site is built and of which files, not what a page is.
ELSEWHERE = {"site_dir", "dev_addr", "strict", "watch", "exclude_docs", "draft_docs", "not_in_nav"}
SHOWN_META = ("icon", "status", "subtitle", NAV_TITLE, PART_TITLE)  # of a page, where others name it
OBJECTS = {"plugins", "theme", "hooks"}  # settings that are programs, whose options are described apart
# The packages whose Markdown extensions, and functions in their options, read nothing but the page, and those of these
# extensions that read files after all.
READ_THE_PAGE = {"markdown", "pymdownx", "material", "materialx", "hexapla"}
READ_FILES = {"pymdownx.snippets", "pymdownx.b64"}
# What of a page's content only the page and the files of its language show, and what stands for it without them. So
# does its search entry, which is an answer of its own: all those of a language are read when one of them has changed.
BODY: Mapping[str, Any] = {"markdown": "", "html": "", "toc": (), "for_programs": ""}


class ContentDigests(NamedTuple):
    """Digests of a page's content: of what it shows, of its search entry, and of its Markdown for programs.

    The last two are "" where a page has none.
    """

    shown: str
    searched: str
    for_programs: str


class KeptPage(NamedTuple):
    """What is kept of a whole page, whose HTML is in the site: the digest of that, and what was logged."""

    html_digest: str
    messages: Sequence[LoggedMessage]


class PageCache(Cache):
    """The cache of a project with the pages of one configuration, whose digest is `settings`."""

    def __init__(self, root: Path, settings: str) -> None:
        super().__init__(root)
        self.settings = settings

    def load_head(
        self, site: LanguageSite, path: str, inputs: SiteInputs
    ) -> tuple[PageContent, ContentDigests] | None:
        """A page's content without BODY and entry, if it was rendered before and all that it read is as it was."""
        kept = self.get(self._content_key(site, path))
        if kept is None:
            return None
        (*rest, messages, readings), digests = kept
        noted = tuple((tuple(reading), seen) for reading, seen in readings)
        if not inputs.is_unchanged(noted):
            return None
        return PageContent._make([*rest, [LoggedMessage(*each) for each in messages], noted]), ContentDigests(*digests)

    def load_content(self, site: LanguageSite, path: str, inputs: SiteInputs) -> PageContent | None:
        """A page's content, if it was rendered before and all that it read is still as it was."""
        if not (head := self.load_head(site, path, inputs)):
            return None
        content, digests = head
        body, entry = self.get(self._body_key(site, path, digests)), self.load_entry(digests)
        if not body or (digests.searched and not entry):
            return None
        return content._replace(**body, entry=entry)

    def load_entry(self, digests: ContentDigests) -> SearchEntry | None:
        """What is searched of a page, None where the cache has nothing of it."""
        return make_search_entry(self.get(entry_key(digests))) if digests.searched else None

    def store_content(self, site: LanguageSite, path: str, content: PageContent, digests: ContentDigests) -> None:
        """Keep a page's content, if JSON gives its front matter back as it is."""
        try:
            same = json.loads(json.dumps(content.meta)) == content.meta
        except (TypeError, ValueError):
            return
        if same:
            self.put(self._body_key(site, path, digests), {name: getattr(content, name) for name in BODY})
            if content.entry:
                self.put(entry_key(digests), astuple(content.entry))
            self.put(self._content_key(site, path), [content._replace(**BODY, entry=None), digests])

    def load_page(self, key: str) -> KeptPage | None:
        """The page under a key of `page_key`."""
        kept = self.get(key)
        return KeptPage(kept[0], [LoggedMessage(*each) for each in kept[1]]) if kept else None

    def page_key(self, site: LanguageSite, path: str, content: str, navigation: str, elsewhere: object) -> str:
        """The key of a page: digests of its content and of the navigation, and what it shows of other pages."""
        return key_of("page", self.settings, path, page_facts(site, path), content, navigation, repr(elsewhere))

    def _content_key(self, site: LanguageSite, path: str) -> str:
        file = site.files.src_uris[path]
        return key_of("page content", self.settings, site.language, path, file.url, path in site.titled)

    def _body_key(self, site: LanguageSite, path: str, digests: ContentDigests) -> str:
        return key_of("page body", self.settings, site.language, path, digests)


def encode_text(text: str) -> bytes:
    """A text as a site's files have it."""
    return text.encode("utf-8", "xmlcharrefreplace")


def entry_key(digests: ContentDigests) -> str:
    """The key of a page's search entry."""
    return key_of("search entry", digests.searched)


def make_search_entry(kept: Any) -> SearchEntry | None:
    """Rebuild a search entry from the lists that the cache holds."""
    if not kept:
        return None
    url, title, sections, *rest = kept
    return SearchEntry(url, title, tuple(SearchSection(*each) for each in sections), *rest)


def page_facts(site: LanguageSite, path: str) -> tuple[object, ...]:
    """What a page shows of itself and of those before and behind it, beside its content."""
    page = site.page(path)
    around = [each and (each.url, each.title) for each in (page.previous_page, page.next_page)]
    return (site.language, page.url, page.canonical_url, page.edit_url, page.title, page.file.inclusion.name, *around)


def digest_content(content: PageContent) -> ContentDigests:
    """The digests of a page's content."""
    searched = digest(repr(content.entry)) if content.entry else ""
    for_programs = digest(encode_text(content.for_programs)) if content.for_programs else ""
    return ContentDigests(content_digest(content), searched, for_programs)


def content_digest(content: PageContent) -> str:
    """A digest of what a page shows of its content."""
    return digest(repr(content.meta), content.html, content.title or "", repr(content.toc))


def navigation_digest(site: LanguageSite) -> str:
    """A digest of what pages show of the navigation: titles, addresses, and what icons and marks say."""
    return digest(repr([*navigation_items(site.nav.items)]), repr(site.nav.homepage and site.nav.homepage.url))


def navigation_items(items: list[StructureItem]) -> Iterator[object]:
    """Titles, addresses and front matter, level by level."""
    for item in items:
        meta = {name: item.meta[name] for name in SHOWN_META if name in item.meta} if isinstance(item, Page) else {}
        yield item.title, getattr(item, "url", None), meta, [*navigation_items(getattr(item, "children", None) or [])]


def settings_digest(config: MkDocsConfig, root: Path, own_files: list[Path]) -> str:
    """A digest of the configuration and of the programs that render pages with it.

    `own_files` are the files of templates and sentences that belong to the project or to Hexapla.
    """
    texts = [digest(str(file), file.read_bytes()) for file in own_files]
    return digest(str(root), describe_settings(config, OBJECTS | ELSEWHERE), *map(name_with_version, PACKAGES), *texts)


def describe_settings(config: MkDocsConfig, without: Collection[str]) -> str:
    """The settings of a configuration without some, and the options of its theme and its plugins, as JSON."""
    settings = {name: value for name, value in config.data.items() if name not in without}
    theme = {name: config.theme[name] for name in config.theme}
    plugins = {name: dict(getattr(plugin, "config", {})) for name, plugin in config.plugins.items()}
    return json.dumps([settings, theme, plugins], default=describe_value, sort_keys=True)


def describe_value(value: object) -> object:
    """A value of the settings, the same in every process for functions whose packages' versions the key holds."""
    if isinstance(value, partial):
        return [describe_value(value.func), value.args, value.keywords]
    if isinstance(value, PathSpec):
        return [repr(each) for each in value.patterns]
    if isinstance(value, FunctionType) and root_module(value) in READ_THE_PAGE:
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)


def open_cache(project: Project, config: MkDocsConfig) -> PageCache | None:
    """The pages of a project that are kept for its configuration; None where something of others changes them."""
    if touches_pages(config) or reads_unknown_files(config):
        return None
    return PageCache(project.root, settings_digest(config, project.root, own_files(project, config.theme)))


def reads_unknown_files(config: MkDocsConfig) -> bool:
    """Whether a Markdown extension reads files, or it or a function among its options is one that nobody here knows."""
    options, reader = config.mdx_configs, Markdown()
    made = [type(reader.build_extension(each, options.get(each) or {}) if isinstance(each, str) else each)
            for each in config.markdown_extensions]
    unknown = {root_module(each) for each in [*made, *find_functions(options)]} - READ_THE_PAGE
    icons = (options.get("pymdownx.emoji") or {}).get("options") or {}
    return bool(unknown) or "custom_icons" in icons or any(each.__module__ in READ_FILES for each in made)


def find_functions(options: object) -> Iterator[object]:
    """What can be called among the options of Markdown extensions, however deep, for a partial what it calls."""
    if isinstance(options, partial):
        options = [options.func, options.args, options.keywords]
    if callable(options):
        yield options
    elif isinstance(options, Mapping | list | tuple):
        for each in options.values() if isinstance(options, Mapping) else options:
            yield from find_functions(each)


def root_module(value: object) -> str:
    """The name of the package that a function, a class or an object's class is of."""
    return str(getattr(value, "__module__", None) or type(value).__module__).partition(".")[0]


def own_files(project: Project, theme: Theme) -> list[Path]:
    """The templates of Hexapla and of the project, and the project's sentences."""
    folders = [OWN, *([Path(theme.custom_dir)] if theme.custom_dir else [])]
    templates = [file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()]
    sentences = [project.root / strings_path(language.code) for language in project.languages]
    return [*templates, *(file for file in sentences if file.is_file())]
