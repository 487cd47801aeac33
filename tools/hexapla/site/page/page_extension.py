"""The extension of Python-Markdown `hexapla.markdown`: what is ours on a page, for every engine that renders with it.

Before Markdown the page gets its code, its figures, the titles of its call-outs and the sections that it lacks; after
it, its notes, banners and line breaks. An engine's adapter says which page is rendered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markdown import Markdown
from markdown.extensions import Extension

from hexapla.site.page.page_additions import PageIdentity, complete_html, prepare_markdown
from hexapla.site.page.page_inputs import PageInputs
from hexapla.site.page.row_groups import add_row_groups
from hexapla.site.page.snippet_includes import IncludedSnippet
from hexapla.site.written_pages import read_body

EXTENSION = "hexapla.markdown"  # as configurations name it


@dataclass
class RenderingPage:
    """A page that is being rendered: which one, what it reads, its file's text.

    `place` puts its HTML where its links lead from, before what is ours is added, and `finish` the whole.

    `markdown`, None before, is what its HTML is rendered from, with the snippets that it includes.
    """

    identity: PageIdentity
    inputs: PageInputs
    text: str
    place: Callable[[str], str] = str
    finish: Callable[[str], str] = str
    markdown: str | None = None
    included: Sequence[IncludedSnippet] = ()


FindPage = Callable[[Markdown], RenderingPage | None]


class PageExtension(Extension):
    """Renders the pages that `find_page` finds, and leaves every other text as it is."""

    def __init__(self, find_page: FindPage) -> None:
        super().__init__()
        self.find_page = find_page

    def extendMarkdown(self, md: Markdown) -> None:
        convert = md.convert

        def convert_page(source: str) -> str:
            """A page's HTML; the first text that is converted for a page is the page's."""
            page = self.find_page(md)
            if page is None or page.markdown is not None:
                return convert(source)
            lines = read_body(source, page.text)
            page.markdown, page.included = prepare_markdown(lines, page.identity, page.inputs)
            html = page.place(convert(page.markdown))
            html = page.finish(complete_html(html, page.included, page.identity, page.inputs))
            add_row_groups(getattr(md, "toc_tokens", []), html)
            return html

        # Not by processors of its own: what `toc` makes of each heading goes through all of those too.
        md.convert = convert_page  # type: ignore[method-assign]
