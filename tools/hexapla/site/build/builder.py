"""Build a site in all its languages: pages out of the cache, the others on all cores.

It takes the place of MkDocs' own build, which renders page after page and language after language, and calls the same
events. (mkdocs/commands/build.py:249-370 of MkDocs 1.6.1.)
"""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TypeVar

from jinja2 import Environment
from markdown import Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, BuildError, PluginError
from mkdocs.structure.nav import Navigation
from mkdocs.utils import CountHandler, write_file

from hexapla.cache import Cache, digest, key_of
from hexapla.processes import count_cores
from hexapla.site.build.card_drawing import draw_card
from hexapla.site.build.check_hook import shared_errors
from hexapla.site.build.compressed_contents import PackedContents
from hexapla.site.build.markdown_files import FEED, list_files, make_feed, markdown_files, page_address
from hexapla.site.build.navigation_branches import render_branches_once
from hexapla.site.build.page_cache import (
    ContentDigests,
    KeptPage,
    PageCache,
    digest_content,
    encode_text,
    navigation_digest,
    open_cache,
)
from hexapla.site.build.plain_pages import source_files, status_files
from hexapla.site.build.redirect_pages import redirect_files
from hexapla.site.build.site_templates import copy_static_files, strip_assets, write_templates
from hexapla.site.build.swap_output import publish_site
from hexapla.site.build.taken_files import TakenFiles
from hexapla.site.build.unchanged_site import find_standing_site, read_inputs, record_site
from hexapla.site.language_site import Item, LanguageSite, make_environment, make_language_sites
from hexapla.site.page.alternate_links import absolute_url
from hexapla.site.page.card_contents import Card, card_path, find_card_fonts
from hexapla.site.page.page_markdown import markdown_path
from hexapla.site.page.page_renderer import (
    MessageRecorder,
    PageContent,
    RenderedPage,
    log_again,
    remove_content,
    render_content,
    render_page,
    set_content,
    set_links,
    set_title,
)
from hexapla.site.page.site_files import as_localized_file
from hexapla.site.process_pool import FORKS, Failure, ProcessPool, result_of
from hexapla.site.search.search_index import NONE, index_files, make_search_language, nav_places
from hexapla.site.search.search_page_words import SectionWords, WordReader
from hexapla.site.search.search_sections import SearchEntry
from hexapla.site.state import BuildState, CurrentBuild
from hexapla.site.upstream.contract import name_with_version
from hexapla.site.upstream.i18n_contract import check_languages

LOG = logging.getLogger("mkdocs.plugins.hexapla")
JOBS = 2  # of each core: few, since what a fork learns is lost with it, and enough that all end at about one time
ROBOTS = "User-agent: *\nAllow: /\nSitemap: {sitemap}\n"
PAGES = 500  # of a job at most: what a fork learns is held until it ends

Result = TypeVar("Result")


class SiteBuild:
    """The sites of all languages in one build, and the rendered contents of their pages."""

    def __init__(
        self, config: MkDocsConfig, current: CurrentBuild, cache: PageCache | None, sites: Sequence[LanguageSite],
        contents: MutableMapping[Item, PageContent],
    ) -> None:
        self.config, self.current, self.cache, self.sites, self.contents = config, current, cache, sites, contents
        self.digests: dict[Item, ContentDigests] = {}
        self.files = taken_files(current.state)
        self.cards: dict[str, Card] = {}  # of pages by the cards' addresses
        self.included: dict[str, set[str]] = {}  # the pages, without their language, by the snippets that they include
        self.failures: list[str] = []

    def render_contents(self) -> None:
        """Take the contents of pages from the cache, and render the others on all cores."""
        waiting = []
        for number, site in enumerate(self.sites):
            site.enter()  # where a link leads depends on the language
            inputs = self.current.state.inputs[site.language]
            for file in site.pages:
                item = number, file.src_uri
                kept = self.cache and self.cache.load_head(site, file.src_uri, inputs)
                if kept:
                    self.take_head(item, *kept)
                else:
                    waiting.append(item)
        waiting.sort(key=lambda item: item[1].partition("/")[2])  # languages show the same code: one process has it
        if waiting:
            self.warm_up({self.sites[number].language for number, _ in waiting})
        readers = [self.make_word_reader(number) for number, _ in enumerate(self.sites)] if waiting else []
        for item, made in on_all_cores(partial(self.read_page, readers), waiting):
            if isinstance(made, Failure):
                self.failures.append(self.describe_failure(item, made))
                continue
            content, words = made
            self.take_content(item, content)
            if self.cache:
                self.cache.store_content(self.sites[item[0]], item[1], content, self.digests[item])
                if content.entry:
                    self.cache.put(words_key(readers[item[0]], content.entry), words)

    def warm_up(self, languages: Collection[str]) -> None:
        """Import and load what makes a page of Markdown, before processes are forked that would each do it."""
        for language, converter in self.current.state.sources.derived.converters.items():
            if language in languages:
                converter("字")
        config = self.config
        Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs).convert(
            "# A {#a}\n\n```python\npass\n```\n"
        )

    def render_content(self, item: Item) -> PageContent:
        """Render the Markdown of a page."""
        return render_content(self.sites[item[0]], item[1], self.current)

    def read_page(self, readers: Sequence[WordReader], item: Item) -> tuple[PageContent, list[SectionWords]]:
        """The content of a page, and its words for the search index where they can be kept until it is made."""
        content = self.render_content(item)
        return content, readers[item[0]].read(content.entry) if self.cache and content.entry else []

    def take_content(self, item: Item, content: PageContent) -> None:
        """Keep the content of a page that was rendered."""
        self.contents[item] = content
        self.take_head(item, content, digest_content(content))

    def take_head(self, item: Item, content: PageContent, digests: ContentDigests) -> None:
        """Give a page what others need of its content."""
        number, path = item
        self.digests[item] = digests
        for snippet in content.arguments_read("code"):
            self.included.setdefault(snippet, set()).add(path.partition("/")[2])
        set_links(self.sites[number], path, content)
        set_title(self.sites[number], path, content.title, content.meta)
        log_again(content.messages)

    def find_content(self, item: Item) -> PageContent:
        """The content of a page that was rendered in this build or before it."""
        number, path = item
        if content := self.contents.get(item):
            return content
        site = self.sites[number]
        site.enter()
        kept = self.cache and self.cache.load_content(site, path, self.current.state.inputs[site.language])
        return kept or self.render_content(item)  # another build has just cleared the cache

    def set_front_contents(self) -> None:
        """Give the front page of each language its content, whose doors the page for what is missing shows."""
        for number, site in enumerate(self.sites):
            if front := site.nav.homepage:
                front.content = self.find_content((number, front.file.src_uri)).html

    def list_entries(self, number: int) -> dict[str, SearchEntry]:
        """What is searched of a language's pages that are rendered, by their path."""
        items = [(number, file.src_uri) for file in self.sites[number].pages]
        found = {item[1]: self.find_entry(item) for item in items if item in self.contents or item in self.digests}
        return {path: entry for path, entry in found.items() if entry}

    def find_entry(self, item: Item) -> SearchEntry | None:
        """What is searched of a page that was rendered in this build or before it."""
        known = None if item in self.contents or not self.cache else self.cache.load_entry(self.digests[item])
        return known or self.find_content(item).entry

    def make_word_reader(self, number: int) -> WordReader:
        """What reads the words of a language's pages."""
        sources = self.current.state.sources
        return WordReader(make_search_language(self.sites[number].language, sources.search, sources.terms))

    def page_words(self, number: int, entries: Mapping[str, SearchEntry]) -> dict[str, list[SectionWords]]:
        """The words of a language's pages for its search index, by the page's address."""
        reader = self.make_word_reader(number)
        keys = {path: words_key(reader, entry) for path, entry in entries.items()}
        known: dict[str, list[SectionWords] | None]
        known = {path: self.cache.get(key) if self.cache else None for path, key in keys.items()}
        waiting = [(number, path) for path, words in known.items() if words is None]
        for item, words in on_all_cores(lambda item: reader.read(entries[item[1]]), waiting):
            if isinstance(words, Failure):
                self.failures.append(self.describe_failure(item, words))
                continue
            known[item[1]] = words
            if self.cache:
                self.cache.put(keys[item[1]], words)
        return {entries[path].url: words for path, words in known.items() if words is not None}

    def write_search(self, number: int) -> None:
        """Write a language's search index, or take it over from the site before where it is made of the same."""
        site, state = self.sites[number], self.current.state
        language, places = site.language, nav_places(site.nav.pages)
        made_with = make_search_language(language, state.sources.search, state.sources.terms)
        searched = [self.digests[number, file.src_uri].searched for file in site.pages]
        key = key_of("search index", state.index_path(language), digest(repr(made_with)), searched, places)
        kept = self.cache.get(key) if self.cache else None
        if kept and self.files.take_files(kept):
            return
        entries = self.list_entries(number)
        words = self.page_words(number, entries)
        if not self.failures:
            files = write_index(state, language, [*entries.values()], places, words)
            if self.cache:
                digests = {name: digest(text) for name, text in files.items()}
                self.cache.put(key, digests)
                for name, content in digests.items():
                    self.files.note_file(name, content)

    def write_markdown(self, number: int) -> None:
        """Write what programs read of a language, and take those of its files over that are as they were."""
        site, state, texts = self.sites[number], self.current.state, dict[str, str]()
        for page in site.nav.pages:
            item, address = (number, page.file.src_uri), page_address(page, site.language, state.source)
            digests, file = self.digests.get(item), state.folder / address
            if item[1] in texts or digests is None or not digests.for_programs:
                continue
            if not self.files.take_file(address, digests.for_programs):
                write_file(encode_text(self.find_content(item).for_programs), str(file))
                self.files.note_file(address, digests.for_programs)
            texts[item[1]] = file.read_bytes().decode()
        write_texts(state, list_files(texts, site.nav, site.config, [*state.languages], site.language))
        write_feed(state, site.language, site.nav, site.config)

    def write_pages(self, env: Environment) -> None:
        """Write all pages, those that are kept and the others on all cores."""
        waiting: dict[Item, str] = {}
        for number, site in enumerate(self.sites):
            navigation, state = navigation_digest(site), self.current.state
            cards = state.make_cards((site.page(file.src_uri) for file in site.pages), site.language, site.config)
            self.cards |= cards
            for file in site.pages:
                item = number, file.src_uri
                key = ""
                if self.cache:
                    page = site.page(file.src_uri)
                    card = cards.get(card_path(as_localized_file(file).norm_src_uri, site.language))
                    elsewhere = (state.alternates(file), bool(card and find_card_fonts(card)),
                                 state.front_sections(page, site.nav, site.language))
                    key = self.cache.page_key(site, file.src_uri, self.digests[item].shown, navigation, elsewhere)
                    if (kept := self.cache.load_page(key)) and self.restore_page(item, kept):
                        continue
                waiting[item] = key
        for item in waiting:
            if item not in self.contents:
                self.contents[item] = self.find_content(item)
        render = partial(self.render_page, env)
        for item in [*waiting][:1]:  # templates are compiled before processes are forked that would each do it
            result_of(render, item)
        for item, made in on_all_cores(render, [*waiting]):
            if isinstance(made, Failure):
                self.failures.append(self.describe_failure(item, made))
            else:
                kept = self.write_page(item, made)
                if self.cache:
                    self.cache.put(waiting[item], kept)

    def render_page(self, env: Environment, item: Item) -> RenderedPage:
        """Render the template of a page, which alone holds its content meanwhile."""
        site, path = self.sites[item[0]], item[1]
        set_content(site, path, self.contents[item])
        try:
            return render_page(site, path, env)
        finally:
            remove_content(site, path)

    def restore_page(self, item: Item, kept: KeptPage) -> bool:
        """Take a page that was rendered before over from the site before, where its file is as it was written."""
        stands = self.files.take_file(self.page_file(item), kept.html_digest)
        if stands:
            log_again(kept.messages)
        return stands

    def write_page(self, item: Item, page: RenderedPage) -> KeptPage:
        """Write a page into the site; returns what is kept of it."""
        kept = KeptPage(digest(page.html), page.messages)
        log_again(page.messages)
        if page.html.strip():
            name = self.page_file(item)
            write_file(encode_text(page.html), str(self.files.folder / name))
            self.files.note_file(name, kept.html_digest)
        return kept

    def page_file(self, item: Item) -> str:
        """The file of a page, from the site's root."""
        return self.sites[item[0]].files.src_uris[item[1]].dest_uri

    def describe_failure(self, item: Item, failure: Failure) -> str:
        """The message for a page that could not be rendered, with its file."""
        file = self.sites[item[0]].files.src_uris[item[1]]
        place = Path(self.config.docs_dir, file.src_uri).relative_to(Path(self.config.docs_dir).parent)
        reason = failure.reason
        return reason if failure.placed else f"{place.as_posix()}:1:1: {reason}"

    def stop_on_failures(self, others: Sequence[str] = ()) -> None:
        """Raise PluginError where pages could not be rendered, or where there are others, with all that is wrong."""
        lines = {line for reason in (*others, *self.failures) for line in reason.split("\n")}
        if lines:
            by_number = partial(re.sub, "[0-9]+", lambda number: number[0].zfill(9))  # line 9 comes before line 10
            raise PluginError("\n".join(["the site was not built:", *sorted(lines, key=by_number)]))


def words_key(reader: WordReader, entry: SearchEntry) -> str:
    """The key of the words of a page."""
    return key_of("page words", reader.key, digest(repr(entry)))


def build_site(config: MkDocsConfig, current: CurrentBuild) -> None:
    """Build the site of a configuration as it was loaded, unless it stands and nothing has changed. Raises Abort."""
    warnings, told, logger = CountHandler(), MessageRecorder(logging.WARNING), logging.getLogger("mkdocs")
    warnings.setLevel(logging.WARNING)
    handlers = [told, *([warnings] if config.strict else [])]
    for handler in handlers:
        logger.addHandler(handler)
    try:
        start = monotonic()
        inputs = read_inputs(config)
        if inputs and (warned := find_standing_site(inputs)) is not None:
            log_again(warned)
            LOG.info("Nothing has changed since %s was built: it stays as it is", inputs.site)
            return
        sites = make_language_sites(config, serving=False)
        build_sites(sites, config, current)
        if counts := warnings.get_counts():
            said = ", ".join(f"{count} {name.lower()}s" for name, count in counts)
            raise Abort(f"Aborted with {said} in strict mode!")
        if inputs:
            record_site(inputs, told.messages)
        LOG.info("Documentation built in %.2f seconds", monotonic() - start)
    except Exception as error:
        config.plugins.on_build_error(error=error)
        if isinstance(error, BuildError):
            LOG.error(str(error))
            raise Abort("Aborted with a BuildError!") from error
        raise
    finally:
        for handler in handlers:
            logger.removeHandler(handler)


def build_sites(sites: Sequence[LanguageSite], config: MkDocsConfig, current: CurrentBuild) -> Environment:
    """Render the pages of all languages and write every file of the site; returns what its templates were found in."""
    state = current.state
    cache = open_cache(state.sources.project, config)
    with closing(cache) if cache else nullcontext():
        made = SiteBuild(config, current, cache, sites, PackedContents())
        made.render_contents()
        made.stop_on_failures(shared_errors(state))
        env = make_environment(sites, config)
        render_branches_once(env, config.theme)
        copy_static_files(sites)
        made.set_front_contents()
        write_templates(sites, env)
        made.write_pages(env)
        made.stop_on_failures()
        for number, site in enumerate(sites):  # the words of one language at a time: they are most of what is held
            for file in site.pages:
                if file.page is not None:  # what links to an anchor that no page has is logged
                    file.page.validate_anchor_links(files=site.files, log_level=site.config.validation.links.anchors)
            made.write_search(number)
            made.stop_on_failures()
            made.write_markdown(number)
            site.enter()
            site.config.plugins.on_post_build(config=site.config)
    write_cards(state, made.cards, made.files)
    finish_site(state, config, made.included, {site.language for site in sites})
    made.files.record_files()
    return env


def taken_files(state: BuildState) -> TakenFiles:
    """The files of a site that is built, which may be taken over from the one before."""
    return TakenFiles(state.sources.project.root, state.folder, state.site)


def write_index(
    state: BuildState, language: str, entries: Sequence[SearchEntry], places: Mapping[str, str],
    words: Mapping[str, Sequence[SectionWords]] = NONE,
) -> Mapping[str, str]:
    """Write the search index of a language and return its files; `words` are of pages read before, by address."""
    made_with = make_search_language(language, state.sources.search, state.sources.terms)
    files = index_files(entries, made_with, state.index_path(language), words, places)
    for name, text in files.items():
        write_file(text.encode(), str(state.folder / name))
    return files


def write_markdown(
    state: BuildState, language: str, texts: Mapping[str, str], nav: Navigation, config: MkDocsConfig
) -> None:
    """Write what programs read of a language; `texts` are its pages by their paths in docs."""
    write_texts(state, markdown_files(texts, nav, config, state.languages, language))
    write_feed(state, language, nav, config)


def write_texts(state: BuildState, files: Iterable[tuple[str, str]]) -> None:
    """Write files of text, each with its address."""
    for url, text in files:
        write_file(encode_text(text), str(state.folder / url))


def write_feed(state: BuildState, language: str, nav: Navigation, config: MkDocsConfig) -> None:
    """Write the feed of a language, where there is one."""
    if feed := make_feed(state, nav, config, language):
        write_file(feed.encode(), str(state.folder / markdown_path(FEED, language, state.source)))


def write_cards(state: BuildState, cards: Mapping[str, Card], files: TakenFiles) -> None:
    """Write the cards of pages by their addresses: those that the site before has, and the others on all cores."""
    fonts = {path: found for path, card in cards.items() if (found := find_card_fonts(card))}
    for language, path in {card.language: path for path, card in cards.items() if path not in fonts}.items():
        LOG.info("%s is not drawn: no font of this machine has its letters; install one for %s, or set "
                 "`hexapla: {cards: false}`", path, language)
    with closing(Cache(state.sources.project.root if cards else None)) as cache:
        drawn_with = name_with_version("pillow")
        keys = {(0, path): key_of("card", drawn_with, repr((cards[path], found))) for path, found in fonts.items()}
        waiting = [item for item, key in keys.items() if not files.take_file(item[1], cache.get(key) or "")]
        for item, drawn in on_all_cores(lambda item: draw_card(cards[item[1]], fonts[item[1]]), waiting):
            if isinstance(drawn, Failure):
                LOG.warning("%s is not drawn: %s", item[1], drawn.reason)
            else:
                content = digest(drawn)
                cache.put(keys[item], content)
                write_file(drawn, str(state.folder / item[1]))
                files.note_file(item[1], content)


def finish_site(
    state: BuildState, config: MkDocsConfig, included: Mapping[str, Collection[str]], built: set[str]
) -> None:
    """Write the pages of the snippets and of the translations; the new site takes the old one's place.

    `included` has the pages that show each snippet, without their language; `built` are the languages that were built.
    A strict site with warnings, which is about to be aborted, takes no place. The configuration names that place again:
    `mkdocs gh-deploy` looks there.
    """
    check_languages(built, {*state.languages})
    strip_assets(state.folder)
    robots = state.folder / "robots.txt"
    if config.site_url and not robots.exists():  # the project's own stays
        write_file(ROBOTS.format(sitemap=absolute_url(config.site_url, "sitemap.xml")).encode(), str(robots))
    redirects = ((url, text.encode()) for url, text in redirect_files(state))
    for url, content in chain(source_files(state, config, included), redirects, status_files(state, config)):
        write_file(content, str(state.folder / url))
    state.status.sections.cache.flush()
    # The handler that counts the warnings of a strict build is there until it ends.
    warned = any(each.get_counts() for each in logging.getLogger("mkdocs").handlers if isinstance(each, CountHandler))
    if not (config.strict and warned):
        publish_site(state.folder, state.site)
        config.site_dir = str(state.site)


def on_all_cores(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[Item, Result | Failure]]:
    """Each item with what `work` returns for it, or a Failure, by as many processes as there are cores."""
    if not FORKS:
        yield from ((item, result_of(work, item)) for item in items)
        return
    pool: ProcessPool[Item, Result] = ProcessPool(work, count_cores())
    jobs = count_cores() * max(JOBS, -(-len(items) // (PAGES * count_cores())))
    size = max(1, -(-len(items) // jobs))
    for at in range(0, len(items), size):
        pool.submit(items[at:at + size])
    try:
        while pool.queue or pool.running:
            yield from pool.results()
    finally:
        pool.close()
