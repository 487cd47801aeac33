"""Methods of Python-Markdown and its extensions that have a short way where a text holds nothing special.

The short way gives what the method gives, which is asked where there is none. A method that a release does not have is
left out.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions.attr_list import AttrListTreeprocessor

CodeSpan = tuple[int, int | None]
Linked = tuple[str, str | None, int, bool]
PLAIN_TARGET = re.compile(r"""\(([^()<"'\x02]*)\)""")  # no brackets, title or placeholder in it


def code_span(whole: Callable[[int, str], CodeSpan], start: int, text: str) -> CodeSpan:
    """Where the code between single backticks starts and ends."""
    if text[start + 1 : start + 2] != "`":
        end = text.find("`", start + 1)
        if end >= 0 and text[end + 1 : end + 2] != "`":
            return start + 1, end
    return whole(start, text)


def link_text(whole: Callable[[str, int], tuple[str, int, bool]], data: str, index: int) -> tuple[str, int, bool]:
    """The text of a link up to its bracket, where no other opens in it or none closes."""
    end = data.find("]", index)
    if end < 0:
        return data[index:], len(data), False
    return (data[index:end], end + 1, True) if data.find("[", index, end) < 0 else whole(data, index)


def link_target(whole: Callable[[str, int], Linked], data: str, index: int) -> Linked:
    """The target of a link that has no title."""
    plain = PLAIN_TARGET.match(data, index)
    return (plain[1].strip(), None, plain.end(), True) if plain else whole(data, index)


def cells(whole: Callable[[str], list[str]], row: str) -> list[str]:
    """The cells of a table's row, where every backtick stands alone and no code holds a pipe."""
    if "\\" not in row:
        if "`" not in row:
            return row.split("|")
        parts = row.split("`")
        if len(parts) % 2 and "``" not in row and not any("|" in code for code in parts[1::2]):
            return row.split("|")
    return whole(row)


# By the module and name of a class: others that are built on it may do otherwise.
SHORT: dict[tuple[str, str], dict[str, Callable[..., Any]]] = {
    ("markdown.inlinepatterns", "BacktickInlineProcessor"): {"find_code_spans": code_span},
    ("markdown.inlinepatterns", "LinkInlineProcessor"): {"getText": link_text, "getLink": link_target},
    ("markdown.inlinepatterns", "ImageInlineProcessor"): {"getText": link_text, "getLink": link_target},
    ("markdown.inlinepatterns", "ReferenceInlineProcessor"): {"getText": link_text},
    ("markdown.inlinepatterns", "ShortReferenceInlineProcessor"): {"getText": link_text},
    ("markdown.extensions.tables", "TableProcessor"): {"_split": cells},
    ("pymdownx.inlinehilite", "InlineHilitePattern"): {"find_code_spans": code_span},
}


def shorten(made: Markdown) -> None:
    """Put the short ways in front of a renderer's methods."""
    for processor in (*made.inlinePatterns, *made.parser.blockprocessors):
        kind = type(processor)
        for name, short in SHORT.get((kind.__module__, kind.__name__), {}).items():
            if hasattr(processor, name):
                setattr(processor, name, partial(short, getattr(processor, name)))
    if "attr_list" in made.treeprocessors and type(made.treeprocessors["attr_list"]) is AttrListTreeprocessor:
        made.treeprocessors.register(QuickAttributes(made), "attr_list", 8)


class Braced:
    """The elements of a tree that may have an attribute list: a brace stands in them or behind them."""

    def __init__(self, root: Element) -> None:
        self.root = root

    def iter(self) -> Iterator[Element]:
        """The elements in order, each looked at when those before it have been changed."""
        for element in self.root.iter():
            text, tail = element.text, element.tail
            behind = len(element) and any("{" in child.tail for child in element if child.tail)
            if behind or (text and "{" in text) or (tail and "{" in tail):
                yield element


class QuickAttributes(AttrListTreeprocessor):
    """Looks for attributes where there are braces."""

    def run(self, doc: Element) -> None:
        """Give elements the attributes that are written behind them."""
        super().run(Braced(doc))  # type: ignore[arg-type]  # all that is asked of it is its elements
