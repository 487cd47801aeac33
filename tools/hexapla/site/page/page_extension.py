"""The extension of Python-Markdown `hexapla.markdown`: what is ours on a page, for every engine that renders with it.

Before Markdown the page gets its code, its figures, the titles of its call-outs and the sections that it lacks; after
it, its notes, banners and line breaks. An engine's adapter says which page is rendered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from hexapla.site.page.page_additions import PageIdentity, complete_html, prepare_markdown
from hexapla.site.page.snippet_includes import IncludedSnippet
from hexapla.site.page.stale_pages import PageInputs
from hexapla.site.written_pages import read_body

EXTENSION = "hexapla.markdown"  # as configurations name it
FIRST, LAST = 1000, -1000  # priorities: before whatever reads lines, and after whatever writes HTML


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
        conversion = PageConversion(self.find_page)
        md.preprocessors.register(PagePreparer(md, conversion), "hexapla", FIRST)
        md.treeprocessors.register(TreeEnd(md, conversion), "hexapla", LAST)
        md.postprocessors.register(PageCompleter(md, conversion), "hexapla", LAST)


@dataclass
class PageConversion:
    """One conversion by Python-Markdown: its page, None for a text that is no page; whether its tree is done."""

    find_page: FindPage
    page: RenderingPage | None = None
    has_tree: bool = False


class Step:
    """A step of a conversion."""

    def __init__(self, md: Markdown, conversion: PageConversion) -> None:
        super().__init__(md)  # type: ignore[call-arg]  # beside it stands a processor of Python-Markdown
        self.conversion = conversion


class PagePreparer(Step, Preprocessor):
    """Puts into a page's Markdown what it asks for; the first text that is converted for a page is the page's."""

    def run(self, lines: list[str]) -> list[str]:
        page = self.conversion.find_page(self.md)
        self.conversion.has_tree = False
        self.conversion.page = page if page and page.markdown is None else None
        if page is None or page.markdown is not None:
            return lines
        page.markdown, page.included = prepare_markdown(
            read_body("\n".join(lines), page.text), page.identity, page.inputs
        )
        return page.markdown.split("\n")


class TreeEnd(Step, Treeprocessor):
    """Notes that the tree is done: before that, `toc` runs the postprocessors on the text of each heading."""

    def run(self, root: Element) -> None:
        self.conversion.has_tree = True


class PageCompleter(Step, Postprocessor):
    """Puts into a page's HTML what stands around its text."""

    def run(self, text: str) -> str:
        page = self.conversion.page
        if page is None or not self.conversion.has_tree:
            return text
        return page.finish(complete_html(page.place(text.strip()), page.included, page.identity, page.inputs))
