"""Python-Markdown's pass over inline markup, without asking a pattern about text that holds none of its characters.

The original asks some twenty patterns about each run of text through two calls each; most runs hold no markup. Here
the characters of a run are looked at first, and the patterns that could match are asked as the original asks them.
A test renders pages both ways and compares.
"""

import re
from collections import deque
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import InlineProcessor as InlineTreeprocessor
from markdown.util import INLINE_PLACEHOLDER_PREFIX, AtomicString

# By the class of a pattern: characters of which one stands in all that it matches.
NEEDED = {
    "BacktickInlineProcessor": "`", "InlineHilitePattern": "`", "KeysPattern": "+", "EscapeInlineProcessor": "\\",
    "EscapeAllPattern": "\\", "FootnoteInlineProcessor": "[", "ReferenceInlineProcessor": "[",
    "LinkInlineProcessor": "[", "ImageInlineProcessor": "[", "ImageReferenceInlineProcessor": "[",
    "ShortReferenceInlineProcessor": "[", "ShortImageReferenceInlineProcessor": "[", "WikiLinksInlineProcessor": "[",
    "ProgressBarPattern": "[", "AutolinkInlineProcessor": "<", "AutomailInlineProcessor": "<",
    "MagiclinkAutoPattern": "<", "HtmlInlineProcessor": "<&", "SubstituteTagInlineProcessor": "\n",
    "AsteriskProcessor": "*", "UnderscoreProcessor": "_", "DelimiterProcessor": "*_^=~",
}
SPECIAL = re.compile("[" + re.escape("".join(set("".join(NEEDED.values())))) + "]")


class Asked(NamedTuple):
    """A pattern and its place; `needed` is None where it may match anything, `excluded` the tags it leaves alone."""

    place: int
    pattern: Any
    needed: frozenset[str] | None
    search: Any
    excluded: tuple[str, ...]


def asked(index: int, pattern: Any) -> Asked:
    """What has to be known of a pattern before it is asked."""
    needed = NEEDED.get(type(pattern).__name__)
    excluded = tuple(tag.lower() for tag in pattern.ANCESTOR_EXCLUDES)
    return Asked(index, pattern, frozenset(needed) if needed else None, pattern.getCompiledRegExp().finditer, excluded)


class FastInline(InlineTreeprocessor):
    """The tree processor named "inline", its loops replaced; their names are the library's private ones."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self.patterns: list[Any] = []
        self.asked: list[Asked] = []
        self.plans: dict[frozenset[str], list[Asked]] = {}

    def run(self, tree: Element, ancestors: list[str] | None = None) -> Element:
        """Process the tree: the library's walk, which passes by what holds no markup."""
        self.prepare()
        self.stashed_nodes = {}
        waiting = deque([(tree, [*(ancestors or []), tree.tag.lower()])])
        while waiting:
            element, self.ancestors = waiting.popleft()
            made = []
            for child in element:
                if child.text and not isinstance(child.text, AtomicString) and self.plan(child.text):
                    self.ancestors.append(child.tag.lower())
                    text, child.text = child.text, None
                    inside = self._InlineProcessor__processPlaceholders(
                        self._InlineProcessor__handleInline(text), child
                    )
                    waiting.extend((node, [*above, node.tag.lower()]) for node, above in inside)
                    made.append((child, inside))
                    self.ancestors.pop()
                if child.tail and self.plan(child.tail):
                    self.behind(element, child)
                if len(child):
                    waiting.append((child, [*self.ancestors, child.tag.lower()]))
            for child, inside in made:
                for position, (node, _) in enumerate(inside):
                    child.insert(position, node)
        return tree

    def prepare(self) -> None:
        """List the patterns; that they have changed since the last page is possible, but not usual."""
        patterns = list(self.inlinePatterns)
        if patterns != self.patterns:
            self.patterns, self.plans = patterns, {}
            self.asked = [asked(index, pattern) for index, pattern in enumerate(patterns)]

    def plan(self, text: str) -> list[Asked]:
        """The patterns that could match something in a text."""
        present = frozenset(SPECIAL.findall(text))
        if present not in self.plans:
            self.plans[present] = [
                one for one in self.asked if one.needed is None or not one.needed.isdisjoint(present)
            ]
        return self.plans[present]

    def behind(self, element: Element, child: Element) -> None:
        """Process the text behind a child; what it holds comes after the child."""
        holder = Element("d")
        text, child.tail = child.tail or "", None
        inside = self._InlineProcessor__processPlaceholders(self._InlineProcessor__handleInline(text), holder, False)
        if holder.tail:
            child.tail = holder.tail
        position = list(element).index(child) + 1
        for node, _ in reversed(inside):
            element.insert(position, node)

    def _InlineProcessor__handleInline(self, data: str, patternIndex: int = 0) -> str:
        """`data` with a placeholder for each piece of markup; placeholders bring in no character that is needed."""
        if isinstance(data, AtomicString):
            return data
        for one in self.plan(data):
            if one.place >= patternIndex and not any(tag in self.ancestors for tag in one.excluded):
                data = self.replaced(one, data)
        return data

    def replaced(self, one: Asked, data: str) -> str:
        """`data` with a placeholder for each piece that one pattern takes."""
        start = 0
        while True:
            for match in one.search(data, start):
                node, first, last = one.pattern.handleMatch(match, data)
                if first is not None and last is not None:
                    break
            else:
                return data
            if node is None:  # the pattern passes over this piece
                start = last
                continue
            if not isinstance(node, str) and not isinstance(node.text, AtomicString):
                self.nested(node, one.place)
            placeholder: str = self._InlineProcessor__stashNode(node, one.pattern.type())  # type: ignore[attr-defined]
            data, start = f"{data[:first]}{placeholder}{data[last:]}", first + len(placeholder)

    def nested(self, node: Element, index: int) -> None:
        """Process the text of a new element: inside it the patterns that come after its own."""
        for child in (node, *node):
            if child.text:
                self.ancestors.append(child.tag.lower())
                child.text = self._InlineProcessor__handleInline(child.text, index + 1)
                self.ancestors.pop()
            if child.tail:
                child.tail = self._InlineProcessor__handleInline(child.tail, index)

    def _InlineProcessor__processPlaceholders(
        self, data: str | None, parent: Element, isText: bool = True
    ) -> list[tuple[Element, list[str]]]:
        """The elements that the placeholders of `data` stand for; text without any goes to `parent` as it is."""
        if data and INLINE_PLACEHOLDER_PREFIX not in data:
            if isText:
                parent.text = parent.text + data if parent.text else data
            else:
                parent.tail = parent.tail + data if parent.tail else data
            return []
        made: list[tuple[Element, list[str]]] = super()._InlineProcessor__processPlaceholders(  # type: ignore[misc]
            data, parent, isText
        )
        return made
