"""The site that `mkdocs serve` shows, in memory: what is rendered, what has to be again, and in which order.

A change drops what was read, not what was rendered: a page whose readings are as before is as good as new.
"""

import logging
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils.meta import get_data

from hexapla.cache import digest
from hexapla.site.build.builder import SiteBuild
from hexapla.site.build.page_cache import content_digest, digest_content, navigation_digest, open_cache, page_facts
from hexapla.site.build.plain_pages import pages_by_snippet
from hexapla.site.build.site_templates import template_text
from hexapla.site.language_site import Item, make_environment, make_language_sites
from hexapla.site.page.page_additions import make_box
from hexapla.site.page.page_renderer import PageContent, RenderedPage, log_again, render_page, set_content, set_title
from hexapla.site.process_pool import Failure
from hexapla.site.state import BuildState, CurrentBuild
from hexapla.site.upstream.mkdocs_build import touches_pages

LOG = logging.getLogger("mkdocs.plugins.hexapla")
# A heading without anything that Markdown or one of its extensions might make something else of.
TITLE = re.compile(r"\s*# +(?P<title>[^\W_]+(?:(?: |, |、|，|: |：|-|/|（|）)[^\W_]+)*[）。！？?!]?)"
                   r" *+(?P<attributes>\{#[\w.-]+\})? *+(?:\n|$)")


class ServedPage(NamedTuple):
    """A page as it was rendered last; `key` is what it was a function of, `version` a digest of its HTML."""

    key: str
    html: str
    version: str


class Rendered(NamedTuple):
    """What a process sends of a page: its content, unless it was known, and the whole page with its key."""

    content: PageContent | None
    page: RenderedPage | None = None
    key: str = ""


class SiteInMemory:
    """The site in all languages. It is made without rendering a page."""

    def __init__(self, config: MkDocsConfig, current: CurrentBuild) -> None:
        self.config = config
        self.current = current
        sites = make_language_sites(config, serving=True)
        self.build = SiteBuild(config, current, open_cache(self.state.sources.project, config), sites, {})
        self.sites = sites
        self.env: Environment = make_environment(sites, config)
        self.pages = {file.dest_uri: (number, file.src_uri) for number, site in enumerate(sites) for file in site.pages}
        self.titles_tell = "attr_list" in config.markdown_extensions
        self.guessed = not touches_pages(config)  # whether a title can be known without rendering
        self.served: dict[Item, ServedPage] = {}
        self.indexes: dict[int, tuple[object, dict[str, str]]] = {}  # of each language: what it was made of, its files
        self.failures: dict[Item, str] = {}
        self.checked: set[Item] = set()  # whose contents' readings were compared since the last change
        self.unseen = {*range(len(sites))}  # languages of which no page was looked at: their titles are not known yet
        self.unguessed: set[Item] = set()  # whose titles only rendering tells
        self.untitled: set[Item] = set()  # those of them that have not been looked at since something changed
        self.navigation: dict[int, str] = {}  # digests by site
        for site in sites:
            site.enter()
            site.config.plugins.on_post_build(config=site.config)
        # Compile templates and import what renders, before processes are forked that would each do it.
        self.build.warm_up(self.state.languages)
        template_text(self.sites[0], "404.html", self.env.get_template("404.html"))

    @property
    def state(self) -> BuildState:
        """What the build knows now."""
        return self.current.state

    def guess_titles(self, items: Iterable[Item]) -> None:
        """Give pages that are not rendered yet their titles and front matter, where that can be done.

        Those of a page that is rendered stand if its content does, which is looked at when another page needs them.
        """
        for item in items:
            number, path = item
            site = self.sites[number]
            if number in self.unseen:
                continue
            if item in self.build.contents:
                if item not in self.checked:
                    self.untitled.add(item)
                continue
            try:
                inputs = self.state.inputs[site.language]
                text = inputs.heading(path) if self.guessed else ""
                title, meta = plain_title(text, inputs.original_head(path) or text, self.titles_tell)
            except (OSError, ValueError):
                title, meta = None, {}
            set_title(site, path, title, meta)
            if title is None and path not in site.titled:
                self.unguessed.add(item)
                self.untitled.add(item)
            else:
                self.unguessed.discard(item)
                self.untitled.discard(item)
        self.navigation.clear()

    def see_language(self, number: int) -> None:
        """Give the pages of a language their titles, before one of them shows those of the others."""
        if number in self.unseen:
            self.unseen.remove(number)
            self.guess_titles(item for item in self.pages.values() if item[0] == number)

    def find_content(self, item: Item) -> PageContent | None:
        """A page's content, if it is known and as good as new."""
        number, path = item
        site = self.sites[number]
        site.enter()  # where a link leads depends on the language
        inputs = self.state.inputs[site.language]
        known = self.build.contents.get(item)
        if known is not None and item not in self.checked:
            if inputs.is_unchanged(known.readings):
                self.checked.add(item)
                self.untitled.discard(item)
            else:
                del self.build.contents[item]
                known = None
        if known is None and self.build.cache and item not in self.failures:
            known = self.build.cache.load_content(site, path, inputs)
            if known:
                self.take_content(item, known)
                log_again(known.messages)
        return known

    def take_content(self, item: Item, content: PageContent) -> None:
        """Give a page its content, rendered or kept."""
        number, path = item
        page = self.sites[number].page(path)
        before = page.title, page.meta
        self.build.contents[item] = content
        set_content(self.sites[number], path, content)
        self.checked.add(item)
        self.untitled.discard(item)
        self.failures.pop(item, None)
        if (page.title, page.meta) != before:
            self.navigation.pop(number, None)

    def page_key(self, item: Item, content: PageContent) -> str:
        """What a page is a function of."""
        number, path = item
        site = self.sites[number]
        if number not in self.navigation:
            self.navigation[number] = navigation_digest(site)
        facts = (page_facts(site, path), self.state.alternates(site.page(path).file),
                 self.state.front_sections(site.page(path), site.nav, site.language))
        return digest(content_digest(content), self.navigation[number], repr(facts))

    def find_page(self, item: Item) -> ServedPage | None:
        """A page, if it is rendered and as good as new."""
        self.see_language(item[0])
        if item in self.failures or self.awaited_titles(item):
            return None
        content = self.find_content(item)
        served = self.served.get(item)
        return served if content and served and served.key == self.page_key(item, content) else None

    def awaited_titles(self, item: Item) -> set[Item]:
        """The other pages of the same language that have to be rendered for their titles."""
        others = [other for other in self.untitled if other[0] == item[0] and other != item]
        return {other for other in others if not self.find_content(other)}

    def render(self, item: Item) -> Rendered:
        """In a process: a page, and its content unless that is known."""
        known = self.build.contents.get(item) if item in self.checked else None
        content = known or self.build.render_content(item)
        number, path = item
        if not known:
            self.take_content(item, content)
        key = self.page_key(item, content)  # before the events of a page change it
        return Rendered(None if known else content, render_page(self.sites[number], path, self.env), key)

    def store_result(self, item: Item, made: Rendered | Failure) -> None:
        """Keep what a process has rendered."""
        if isinstance(made, Failure):
            self.note_failure(item, made)
            return
        if made.content:
            self.take_content(item, made.content)
            log_again(made.content.messages)
            if self.build.cache:
                self.build.cache.store_content(self.sites[item[0]], item[1], made.content,
                                               digest_content(made.content))
        if made.page:
            self.served[item] = ServedPage(made.key, made.page.html, digest(made.page.html))

    def note_failure(self, item: Item, failure: Failure) -> None:
        """Note that a page cannot be rendered."""
        reason = self.build.describe_failure(item, failure)
        if self.failures.get(item) != reason:
            LOG.error(reason)
        self.failures[item] = reason
        self.untitled.discard(item)
        self.build.contents.pop(item, None)
        page = self.sites[item[0]].page(item[1])
        page.title = page.title or page.file.name

    def error_page(self, item: Item) -> ServedPage:
        """What is wrong with a page, in the reader's theme."""
        number, path = item
        self.see_language(number)
        site = self.sites[number]
        html = make_box("failure hx-error", "alert", path, *self.failures[item].split("\n"))
        content = PageContent("", {}, html, site.page(path).title, [], [], {}, "", None, [], ())
        key = self.page_key(item, content)
        served = self.served.get(item)
        if served and served.key == key:
            return served
        set_content(site, path, content)
        try:
            made = render_page(site, path, self.env).html
        except Exception:  # whatever events of a page raise: this may be what is wrong with it
            made = html
        self.served[item] = ServedPage(key, made, digest(made))
        return self.served[item]

    def close(self) -> None:
        """Write what is kept."""
        if self.build.cache:
            self.build.cache.close()

    def is_rendered(self, number: int) -> bool:
        """Whether all pages of a language are rendered, or cannot be."""
        items = (item for item in self.pages.values() if item[0] == number)
        return all(item in self.checked or item in self.failures for item in items)

    def by_distance(self, near: Item | None) -> list[Item]:
        """All pages, those first that are near one of them: its language, its section."""
        section = self.sites[near[0]].page(near[1]).parent if near else None

        def measure_distance(item: Item) -> tuple[bool, bool]:
            number, path = item
            return near is not None and number != near[0], self.sites[number].page(path).parent is not section

        return sorted(self.pages.values(), key=measure_distance)

    def shows_file(self, item: Item, files: Iterable[str]) -> bool:
        """Whether a page links to one of these files, as it does to its pictures."""
        content = self.build.contents.get(item)
        return content is not None and not content.arguments_read("link").isdisjoint(files)

    def included(self) -> dict[str, set[str]]:
        """The pages by the snippets that they include, as far as they are rendered."""
        return pages_by_snippet(
            (path.partition("/")[2], content.arguments_read("code"))
            for (_, path), content in self.build.contents.items()
        )


def plain_title(text: str, original: str, attributes: bool) -> tuple[str | None, Mapping[str, object]]:
    """The title of a page's text, None where only rendering it tells, and its front matter.

    `original` is the page in the source's language, which gives a translation without that section its title, or the
    text itself. `attributes` is whether `{#id}` behind a heading is no part of it.
    """
    markdown, meta = get_data(text)
    if "title" in meta:
        return str(meta["title"]), meta
    found, theirs = TITLE.match(markdown), TITLE.match(get_data(original)[0])
    same_section = found and theirs and found["attributes"] == theirs["attributes"]
    return (found["title"] if found and same_section and (attributes or not found["attributes"]) else None), meta


def hold_site(config: MkDocsConfig, current: CurrentBuild) -> SiteInMemory:
    """The site that is served, nothing rendered. Where it cannot be made, what is known of the one before stays."""
    before = current.state if current.started else None
    try:
        return SiteInMemory(config, current)
    except BaseException:
        if before:
            current.state = before
        raise
