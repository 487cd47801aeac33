"""The pages that no theme renders, below a bar like the site's head: sources of snippets, states of translations."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial

from mkdocs.config.defaults import MkDocsConfig

from hexapla.site.page.site_bar import SiteBar, draw_top, make_bar
from hexapla.site.page.site_files import relative_url
from hexapla.site.page.snippet_pages import snippet_files, source_url
from hexapla.site.state import BuildState
from hexapla.translation.status.status_html import PageTop


def pages_by_snippet(shown: Iterable[tuple[str, Collection[str]]]) -> dict[str, set[str]]:
    """The pages that show each snippet, by its path, out of the snippets of each page.

    >>> pages_by_snippet([("a.md", ["demo/add.py"]), ("b.md", ["demo/add.py"])]) == {"demo/add.py": {"a.md", "b.md"}}
    True
    """
    found: dict[str, set[str]] = {}
    for page, snippets in shown:
        for snippet in snippets:
            found.setdefault(snippet, set()).add(page)
    return found


def source_files(
    state: BuildState, config: MkDocsConfig, included: Mapping[str, Collection[str]]
) -> Iterator[tuple[str, bytes]]:
    """Address and content of what belongs to snippets; `included` has the pages that show each, by its path."""
    bar, places = bar_of(state, config), {name: at for at, name in enumerate(state.sources.project.navigation)}

    def describe(path: str) -> tuple[PageTop, str, str]:
        names = sorted(included.get(path, ()), key=lambda name: (places.get(name, len(places)), name))
        shown = {code: page for code, inputs in state.inputs.items() for name in names[:1]
                 if (page := inputs.shown_page(code, name))}
        url, title, address = source_url(path), "", ""
        titles = {code: page.title for code, page in shown.items()}
        addresses = {code: page.url for code, page in shown.items()}
        if page := shown.get(state.source):
            title, address = page.title, relative_url(page.url, url)
        return draw_top(bar, state.source, url, addresses, titles), title, address

    return snippet_files(state.sources, included, describe)


def status_files(state: BuildState, config: MkDocsConfig) -> Iterator[tuple[str, bytes]]:
    """Address and content of what is told of translations."""
    for url, text in state.status.status_files(state.language_names, partial(draw_top, bar_of(state, config))):
        yield url, text.encode()


def bar_of(state: BuildState, config: MkDocsConfig) -> SiteBar:
    """The bar of a site that is built."""
    return make_bar(state.settings, state.languages, config.theme["favicon"], config.use_directory_urls)
