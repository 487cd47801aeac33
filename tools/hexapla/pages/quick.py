"""Python-Markdown without the work whose result nobody reads here; what is read stays the library's own, tested so."""

import html
import re
from xml.etree.ElementTree import HTML_EMPTY, Element

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.extensions.toc import (
    TocExtension,
    TocTreeprocessor,
    remove_fnrefs,
    render_inner_html,
    strip_tags,
    unique,
)
from markdown.serializers import RE_AMP, to_xhtml_string
from markdown.treeprocessors import UnescapeTreeprocessor
from markdown.util import STX

from hexapla.pages.inline import FastInline
from hexapla.pages.shortcuts import shorten

# By the class of a block processor: characters of which one stands in every block that it takes.
BLOCKS = {
    "AdmonitionProcessor": "!", "DetailsProcessor": "?", "TabbedProcessor": "=", "MarkdownInHtmlProcessor": STX,
    "OListProcessor": ".", "SaneOListProcessor": ".",
    "HashHeaderProcessor": "#", "SaneHeadersProcessor": "#", "BlockQuoteProcessor": ">", "QuotesProcessor": ">",
    "HRProcessor": "*-_", "SetextHeaderProcessor": "=-", "TableProcessor": "|", "UListProcessor": "*+-",
    "SaneUListProcessor": "*+-", "DefListProcessor": ":", "FootnoteBlockProcessor": "[", "AbbrBlockprocessor": "[",
    "ReferenceProcessor": "[",
}
STARTS = re.compile("[" + re.escape("".join(set("".join(BLOCKS.values())))) + "]")
UNESCAPED = {"script", "style"}
# Those that take an indented block too, or nothing else.
INDENTED = {
    "AdmonitionProcessor", "DetailsProcessor", "TabbedProcessor", "ListIndentProcessor", "CodeBlockProcessor",
    "SuperFencesCodeBlockProcessor",
}


class QuickToc(TocTreeprocessor):
    """Gives headings their ids; a table of contents is made for pages that ask for one."""

    def run(self, doc: Element) -> None:
        """Give each heading without an id the one that the library gives it."""
        if self.marker and self.marker in source(self.md):
            super().run(doc)
            return
        elements = list(doc.iter())
        used = {identifier for element in elements if (identifier := element.get("id")) is not None}
        counters: dict[str, int] = {}
        for element in elements:
            tag = element.tag
            if not isinstance(tag, str) or tag[:1] not in "hH" or not self.header_rgx.match(tag):
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
        if "\\" in source(self.md):
            super().run(root)


class QuickBlocks:
    """The parser's loop over blocks, without asking a processor about a block that holds none of its characters."""

    def __init__(self, parser: BlockParser) -> None:
        self.processors = list(parser.blockprocessors)
        self.plans: dict[tuple[frozenset[str], bool], list[BlockProcessor]] = {}

    def __call__(self, parent: Element, blocks: list[str]) -> None:
        """Give each block to the first processor that takes it."""
        while blocks:
            for processor in self.plan(blocks[0]):
                if processor.test(parent, blocks[0]) and processor.run(parent, blocks) is not False:
                    break

    def plan(self, block: str) -> list[BlockProcessor]:
        """The processors that could take a block."""
        key = frozenset(STARTS.findall(block)), block.startswith(" ")
        if key not in self.plans:
            self.plans[key] = [processor for processor in self.processors if could_take(processor, *key)]
        return self.plans[key]


def could_take(processor: BlockProcessor, present: frozenset[str], indented: bool) -> bool:
    """Whether a processor may take a block with these characters."""
    name = type(processor).__name__
    if name not in BLOCKS and name not in INDENTED:
        return True
    return (indented and name in INDENTED) or not present.isdisjoint(BLOCKS.get(name, ""))


def serialize(root: Element) -> str:
    """The library's XHTML of a tree; one that holds more than plain elements is left to the library."""
    parts: list[str] = []
    waiting: list[Element | str] = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        tag, attributes = item.tag, item.items()
        if not isinstance(tag, str) or (attributes and not all(isinstance(value, str) for _, value in attributes)):
            return to_xhtml_string(root)
        parts.append(f"<{tag}")
        if attributes:
            parts += [f' {name}="{escape(value, quoted=True)}"' for name, value in sorted(attributes)]
        tail = escape(item.tail) if item.tail else ""
        if tag.lower() in HTML_EMPTY:
            parts.append(f" />{tail}")
            continue
        text = item.text or ""
        shown = text if tag.lower() in UNESCAPED else escape(text)
        if len(item):
            parts.append(f">{shown}")
            waiting.append(f"</{tag}>{tail}")
            waiting.extend(reversed(item))
        else:
            parts.append(f">{shown}</{tag}>{tail}")
    return "".join(parts)


def escape(text: str, quoted: bool = False) -> str:
    """Text, or an attribute's value, as HTML; entities that are written out stay."""
    if "&" in text:
        text = RE_AMP.sub("&amp;", text)
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    return text.replace('"', "&quot;") if quoted else text


def source(made: Markdown) -> str:
    """The text of the page that is being rendered, as it was before anything was put aside."""
    found: str = made.source  # type: ignore[attr-defined]  # what `pythonmarkdown.Renderer` adds
    return found


def quicken(made: Markdown) -> None:
    """Replace a renderer's processors by quick ones."""
    made.treeprocessors.register(FastInline(made), "inline", 20)
    made.treeprocessors.register(QuickUnescape(made), "unescape", 0)
    made.treeprocessors.deregister("prettify")  # line breaks for people who read the HTML
    made.serializer = serialize
    shorten(made)
    made.parser.parseBlocks = QuickBlocks(made.parser)  # type: ignore[method-assign]
