"""Python-Markdown without the work whose result nobody reads here; what is read stays the library's own, tested so."""

import html
import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.extensions.toc import (
    TocExtension,
    TocTreeprocessor,
    remove_fnrefs,
    render_inner_html,
    strip_tags,
    unique,
)
from markdown.treeprocessors import UnescapeTreeprocessor

from hexapla.pages.inline import FastInline

# By the class of a block processor: characters of which one stands in every block that it takes.
BLOCKS = {
    "HashHeaderProcessor": "#", "SaneHeadersProcessor": "#", "BlockQuoteProcessor": ">", "QuotesProcessor": ">",
    "HRProcessor": "*-_", "SetextHeaderProcessor": "=-", "TableProcessor": "|", "UListProcessor": "*+-",
    "SaneUListProcessor": "*+-", "DefListProcessor": ":", "FootnoteBlockProcessor": "[", "AbbrBlockprocessor": "[",
    "ReferenceProcessor": "[",
}
STARTS = re.compile("[" + re.escape("".join(set("".join(BLOCKS.values())))) + "]")


class QuickToc(TocTreeprocessor):
    """Gives headings their ids; a table of contents is made for pages that ask for one."""

    def run(self, doc: Element) -> None:
        """Give each heading without an id the one that the library gives it."""
        if self.marker and any(self.marker in line for line in lines(self.md)):
            super().run(doc)
            return
        elements = list(doc.iter())
        used = {identifier for element in elements if (identifier := element.get("id")) is not None}
        counters: dict[str, int] = {}
        for element in elements:
            if not isinstance(element.tag, str) or not self.header_rgx.match(element.tag):
                continue
            self.set_level(element)
            if element.get("id") is None:
                shown = strip_tags(render_inner_html(remove_fnrefs(element), self.md))
                made = self.slugify(html.unescape(shown), self.sep)
                element.set("id", unique(made, used, counters))  # type: ignore[call-arg]  # stubs of an older release
            element.attrib.pop("data-toc-label", None)


class QuickTocExtension(TocExtension):
    """The extension "toc" with that processor."""

    TreeProcessorClass = QuickToc


class QuickUnescape(UnescapeTreeprocessor):
    """Looks for escaped characters in pages that hold a backslash."""

    def run(self, root: Element) -> None:
        """Take back what a backslash did; without one there is nothing to take back."""
        if any("\\" in line for line in lines(self.md)):
            super().run(root)


class QuickBlocks:
    """The parser's loop over blocks, without asking a processor about a block that holds none of its characters."""

    def __init__(self, parser: BlockParser) -> None:
        self.asked = [(item, frozenset(BLOCKS.get(type(item).__name__, ""))) for item in parser.blockprocessors]

    def __call__(self, parent: Element, blocks: list[str]) -> None:
        """Give each block to the first processor that takes it."""
        while blocks:
            block = blocks[0]
            present = set(STARTS.findall(block))
            for processor, needed in self.asked:
                if needed and needed.isdisjoint(present):
                    continue
                if processor.test(parent, blocks[0]) and processor.run(parent, blocks) is not False:
                    break


def lines(made: Markdown) -> list[str]:
    """The lines of the page that is being rendered."""
    found: list[str] = made.lines  # type: ignore[attr-defined]  # the stubs do not know it
    return found


def quicken(made: Markdown) -> Markdown:
    """The same renderer, its processors replaced by quick ones."""
    made.treeprocessors.register(FastInline(made), "inline", 20)
    made.treeprocessors.register(QuickUnescape(made), "unescape", 0)
    made.treeprocessors.deregister("prettify")  # line breaks for people who read the HTML
    made.parser.parseBlocks = QuickBlocks(made.parser)  # type: ignore[method-assign]
    return made
