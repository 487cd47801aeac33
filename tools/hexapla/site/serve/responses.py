"""Makes the answers of `mkdocs serve`: pages with the reload script, generated and static files, the search index."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from hexapla.cache import digest
from hexapla.site.build.markdown_files import FEED, FULL, LIST, make_feed, markdown_files, page_address
from hexapla.site.build.plain_pages import source_files, status_files
from hexapla.site.build.site_templates import template_text
from hexapla.site.page.page_markdown import markdown_path
from hexapla.site.page.part_templates import render_part
from hexapla.site.search import search_index
from hexapla.site.serve.http_process import LIVE, Answer, type_of
from hexapla.site.serve.site_in_memory import ServedPage, SiteInMemory


def find_version(served: ServedPage, problem: str) -> str:
    """The version that a tab compares: of its page, and of the problem that every page shows."""
    return served.version + (digest(problem)[:8] if problem else "")


def with_script(served: ServedPage, path: str, mount: str, problem: str) -> bytes:
    """A page with the script that asks whether it, or the page that is shown beside it, has changed."""
    version = find_version(served, problem)
    script = render_part("live.html", "en", address=mount + LIVE, page=quote(path), version=version, problem=problem)
    before, body, after = served.html.rpartition("</body>")
    return f"{before}{script}{body}{after}".encode("utf-8", "xmlcharrefreplace")


def answer_other(site: SiteInMemory, number: int, path: str) -> Answer:
    """The answer for an address that is no page: a file, a template, or the page for 404."""
    for file in (file for language in site.sites for file in language.files if file.dest_uri == path):
        if file.abs_src_path and not file.is_documentation_page():
            return Answer(number, 200, file=file.abs_src_path)
    if path in site.config.theme.static_templates and path != "404.html":
        return Answer(number, 200, type_of(path), render_template(site, path, len(site.sites) - 1).encode())
    if path.endswith((".md", ".txt")) and (text := make_markdown_file(site, path)):
        return Answer(number, 200, "text/markdown; charset=utf-8", text.encode())
    for url, content in generated_files(site, path):
        if url == path:
            return Answer(number, 200, type_of(path), content)
    made = Path(site.config.site_dir, path).resolve()
    if made.is_relative_to(Path(site.config.site_dir).resolve()) and made.is_file():
        return Answer(number, 200, file=str(made))
    folder = path.partition("/")[0]
    language = next((at for at, each in enumerate(site.sites) if each.language == folder), 0)
    return Answer(number, 404, body=render_template(site, "404.html", language).encode())


def render_template(site: SiteInMemory, name: str, number: int) -> str:
    """A page of the theme that is made of no Markdown, in a language."""
    language = site.sites[number]
    site.see_language(number)
    if front := language.nav.homepage:
        content = site.find_content((number, front.file.src_uri))
        front.content = content.html if content else None
    language.enter()
    text = template_text(language, name, site.env.get_template(name))
    if text:
        return text
    return Path(site.config.site_dir, language.language, name).read_text(encoding="utf-8")  # the plugin put it there


def generated_files(site: SiteInMemory, path: str) -> Iterator[tuple[str, bytes]]:
    """The files that Hexapla makes of snippets and translations, as far as one of them may be at this address."""
    if path.startswith(("source/", "notebooks/", "programs/")):
        yield from source_files(site.state, site.config, site.included())
    elif path.startswith("translations/"):
        yield from status_files(site.state, site.config)
    elif path.endswith(FEED):
        for number, each in enumerate(site.sites):
            site.see_language(number)
            feed = make_feed(site.state, each.nav, each.config, each.language)
            yield from [(markdown_path(FEED, each.language, site.state.source), feed.encode())] if feed else []


def make_markdown_file(site: SiteInMemory, path: str) -> str:
    """What programs read at an address, "" where it is none; a page that is not rendered yet is rendered for it."""
    for number, each in enumerate(site.sites):
        pages = {page.file.src_uri: page for page in each.nav.pages}
        own = {uri for uri, page in pages.items() if page_address(page, each.language, site.state.source) == path}
        of_all = path in {markdown_path(name, each.language, site.state.source) for name in (LIST, FULL)}
        if own or of_all:
            site.see_language(number)
            found = ((uri, site.find_content((number, uri))) for uri in own or pages)
            texts = {uri: (content or site.build.render_content((number, uri))).for_programs for uri, content in found}
            return dict(markdown_files(texts, each.nav, each.config, site.state.languages, each.language)).get(path, "")
    return ""


def make_index_file(site: SiteInMemory, number: int, path: str) -> str:
    """A file of the search index of a language; all its pages are rendered."""
    language, sources = site.sites[number].language, site.state.sources
    entries, address = site.build.list_entries(number), site.state.index_path(language)
    places = search_index.nav_places(site.sites[number].nav.pages)
    made_of = entries, search_index.make_search_language(language, sources.search, sources.terms), places
    made, files = site.indexes.get(number, ((), {}))
    if made != made_of:
        words = site.build.page_words(number, entries)
        files = search_index.index_files(entries.values(), made_of[1], address, words, places)
        site.indexes[number] = made_of, files
    return files.get(path, "")


def find_indexed_language(site: SiteInMemory, path: str) -> int | None:
    """The number of the language whose search index has a file at an address."""
    for number, each in enumerate(site.sites):
        folder = site.state.index_path(each.language).removesuffix(search_index.INDEX) + search_index.FOLDER
        if path.startswith(folder) and path.endswith(".json") and not path.endswith("search_index.json"):
            return number
    return None
