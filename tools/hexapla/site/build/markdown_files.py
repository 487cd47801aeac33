"""The files that programs read: each page as Markdown, and of each language llms.txt, llms-full.txt and a feed.

llms.txt is a list of the pages with their descriptions (https://llmstxt.org), llms-full.txt has their text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure import StructureItem
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from hexapla.site.last_change import changed_pages
from hexapla.site.page.alternate_links import absolute_url
from hexapla.site.page.page_markdown import markdown_path
from hexapla.site.page.part_templates import render_part
from hexapla.site.page.site_files import as_localized_file
from hexapla.site.state import BuildState
from hexapla.site.texts.strings import say_sentence

LIST, FULL, FEED = "llms.txt", "llms-full.txt", "feed.xml"
NEWEST = 30  # pages of a feed


def markdown_files(
    texts: Mapping[str, str], nav: Navigation, config: MkDocsConfig, languages: Iterable[str], language: str
) -> Iterator[tuple[str, str]]:
    """Address and text of each file of a language; `texts` are those of its pages by their paths in docs.

    `languages` are those that are built, the source first.
    """
    codes = [*languages]
    for page in {page.file.src_uri: page for page in nav.pages}.values():
        if page.file.src_uri in texts:
            yield page_address(page, language, codes[0]), texts[page.file.src_uri]
    yield from list_files(texts, nav, config, codes, language)


def list_files(
    texts: Mapping[str, str], nav: Navigation, config: MkDocsConfig, codes: Sequence[str], language: str
) -> Iterator[tuple[str, str]]:
    """Address and text of each file of a language that is of no single page; none where no page has a text."""
    if not texts:
        return
    source, pages = codes[0], {page.file.src_uri: page for page in nav.pages}
    yield markdown_path(LIST, language, source), list_pages(nav, config, codes, language)
    shown = (texts[path] for path in pages if path in texts)
    yield markdown_path(FULL, language, source), f"# {config.site_name}\n\n" + "\n\n".join(shown)


def make_feed(state: BuildState, nav: Navigation, config: MkDocsConfig, language: str) -> str:
    """The changes of a language's pages as an Atom feed; "" without an address of the site, or without git."""
    pages = {page.file.src_uri: page for page in nav.pages}
    paths = {path: state.sources.written_path(path) for path in pages}
    found = changed_pages(state.sources.changes, paths, NEWEST)
    if not found or not config.site_url:
        return ""
    entries = [{"title": pages[path].title, "url": pages[path].canonical_url, "date": change.date,
                "author": change.author, "summary": change.subject} for path, change in found]
    home = nav.homepage.canonical_url if nav.homepage else config.site_url
    own = absolute_url(config.site_url, markdown_path(FEED, language, state.source))
    return render_part("feed.html", language, title=config.site_name, own=own, home=home, entries=entries)


def page_address(page: Page, language: str, source: str) -> str:
    """The address of a page's Markdown from the site's root."""
    return markdown_path(as_localized_file(page.file).norm_src_uri, language, source)


def list_pages(nav: Navigation, config: MkDocsConfig, codes: Sequence[str], language: str) -> str:
    """The text of llms.txt: what the site is, its pages by sections of the navigation, and the other languages."""
    def address(path: str) -> str:
        return absolute_url(config.site_url, path) if config.site_url else f"/{path}"

    def entries(items: Iterable[StructureItem], above: str) -> Iterator[str]:
        pages = [item for item in items if isinstance(item, Page)]
        if pages:
            yield f"\n## {above or config.site_name}\n"
        for page in pages:
            told = str(page.meta.get("description") or "") if page.meta else ""
            yield f"- [{page.title}]({address(page_address(page, language, codes[0]))})" + (f": {told}" if told else "")
        for item in items:
            if isinstance(item, Section):
                yield from entries(item.children, " / ".join(filter(None, (above, str(item.title)))))

    others = [f"- [{code}]({address(markdown_path(LIST, code, codes[0]))})" for code in codes if code != language]
    about = f"> {config.site_description}\n\n" if config.site_description else ""
    head = f"# {config.site_name}\n\n{about}{say_sentence(language, 'for-programs')}\n"
    full = f"\n- [{FULL}]({address(markdown_path(FULL, language, codes[0]))})\n"
    return head + full + "\n".join([*others, *entries(nav.items, "")]) + "\n"
