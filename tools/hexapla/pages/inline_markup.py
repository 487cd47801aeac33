"""The one shortcut in rendering: text is not searched for inline markup that it cannot hold.

Python-Markdown searches each text of a page by each of some twenty inline patterns, and finds each pattern by its
number in a registry. Passing over plain text and over patterns whose marks the page lacks, and a list in the registry's
place, take a third off the time to render the guide, for some twenty lines; without them the speed that is wanted of a
check is missed. The HTML is the same, and tested so.
"""

import re
from collections.abc import Collection
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import InlineProcessor
from markdown.util import STX, AtomicString

# One of these is in all text that an inline pattern changes, but for the patterns of some extensions.
MARKUP = re.compile(rf"[`+\\\[<&\n*_^=~{STX}]")
OTHER_MARKUP = {f"pymdownx.{name}" for name in ("arithmatex", "critic", "emoji", "magiclink", "smartsymbols")}

# What a page must hold for a pattern of this name to find anything; the others are always tried.
HELD = {
    "backtick": "`", "escape": "\\", "footnote": "[^", "reference": "[", "link": "[", "image_link": "![",
    "image_reference": "![", "short_reference": "[", "short_image_ref": "![", "autolink": "<", "automail": "<",
    "linebreak": "  \n", "html": "<", "entity": "&", "keys-custom": "+", "keys": "++",
}


class MarkedUpTextProcessor(InlineProcessor):
    """The library's processor of inline patterns; plain text is declared atomic, which it leaves alone."""

    def run(self, tree: Element, ancestors: list[str] | None = None) -> Element:
        """Apply the inline patterns to a page's elements."""
        text, every = "".join(tree.itertext()), self.md.inlinePatterns
        idle = [every[name] for name, marks in HELD.items() if name in every and marks not in text]
        self.inlinePatterns = [one for one in every if one not in idle]  # type: ignore[assignment]  # length, index do
        plain = [
            element for element in tree.iter()
            if element.text and not isinstance(element.text, AtomicString) and not MARKUP.search(element.text)
        ]
        for element in plain:
            element.text = AtomicString(element.text or "")
        super().run(tree, ancestors)
        for element in plain:
            element.text = str(element.text)  # abbreviations, quotation marks: what comes later changes it
        return tree


def skip_plain_text(library: Markdown, extensions: Collection[str]) -> None:
    """Put the processor in the place of the library's, unless an extension knows other markup."""
    if OTHER_MARKUP.isdisjoint(extensions):
        library.treeprocessors.register(MarkedUpTextProcessor(library), "inline", 20)


class InlineMarkupExtension(Extension):
    """The processor as an extension, for who makes the library of names alone, as MkDocs does."""

    def extendMarkdown(self, md: Markdown) -> None:  # the library's name
        """Put the processor in the place of the library's."""
        skip_plain_text(md, ())


def makeExtension() -> Extension:  # the library's name
    """The extension; the library calls this for a module that is named as one."""
    return InlineMarkupExtension()
