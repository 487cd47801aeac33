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
from markdown.util import INLINE_PLACEHOLDER, INLINE_PLACEHOLDER_PREFIX, INLINE_PLACEHOLDER_RE, AtomicString

# By the class of a pattern: pieces of text of which one stands in all that it matches and takes.
NEEDED = {
    "BacktickInlineProcessor": "`", "InlineHilitePattern": "`", "KeysPattern": "+", "EscapeInlineProcessor": "\\",
    "EscapeAllPattern": "\\", "FootnoteInlineProcessor": "[^", "ReferenceInlineProcessor": "[",
    "LinkInlineProcessor": "](", "ImageInlineProcessor": "](", "ImageReferenceInlineProcessor": "[",
    "ShortReferenceInlineProcessor": "[", "ShortImageReferenceInlineProcessor": "[", "WikiLinksInlineProcessor": "[",
    "ProgressBarPattern": "[", "AutolinkInlineProcessor": "<", "AutomailInlineProcessor": "<",
    "MagiclinkAutoPattern": "<", "HtmlInlineProcessor": "< &", "SubstituteTagInlineProcessor": "\n",
    "AsteriskProcessor": "*", "UnderscoreProcessor": "_", "DelimiterProcessor": "* _ ^ = ~",
}
PAIRS = ("](", "[^")  # asked for where there is a bracket
SPECIAL = re.compile(r"[`+\\\[<&\n*_^=~]")
# They do nothing on a page that defines no reference.
REFERRING = {
    "ReferenceInlineProcessor", "ImageReferenceInlineProcessor", "ShortReferenceInlineProcessor",
    "ShortImageReferenceInlineProcessor",
}


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
    pieces = frozenset(needed.split(" ")) if needed else None
    return Asked(index, pattern, pieces, pattern.getCompiledRegExp().search, excluded)


class FastInline(InlineTreeprocessor):
    """The tree processor named "inline", its loops replaced; their names are the library's private ones."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self.patterns: list[Any] = []
        self.asked: list[Asked] = []
        self.always: list[Asked] = []
        self.plans: dict[frozenset[str], list[Asked]] = {}
        self.referring = False

    def run(self, tree: Element, ancestors: list[str] | None = None) -> Element:
        """Process the tree: the library's walk, which passes by what holds no markup."""
        self.prepare()
        self.stashed_nodes = {}
        waiting = deque([(tree, [*(ancestors or []), tree.tag.lower()])])
        while waiting:
            element, self.ancestors = waiting.popleft()
            made = []
            for child in element:
                text = child.text
                if text and (plan := self.plan(text)) and not isinstance(text, AtomicString):
                    self.ancestors.append(child.tag.lower())
                    child.text = None
                    inside = self.put_back(self.applied(plan, text), child)
                    waiting.extend((node, [*above, node.tag.lower()]) for node, above in inside if len(node))
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
        patterns, referring = list(self.inlinePatterns), bool(self.md.references)
        if patterns != self.patterns or referring is not self.referring:
            self.patterns, self.referring, self.plans = patterns, referring, {}
            self.asked = [
                asked(index, pattern) for index, pattern in enumerate(patterns)
                if referring or type(pattern).__name__ not in REFERRING
            ]
            self.always = [one for one in self.asked if one.needed is None]

    def plan(self, text: str) -> list[Asked]:
        """The patterns that could take something of a text."""
        found = SPECIAL.findall(text)
        if not found:
            return self.always
        if "[" in found:
            found += [pair for pair in PAIRS if pair in text]
        present = frozenset(found)
        if present not in self.plans:
            self.plans[present] = [
                one for one in self.asked if one.needed is None or not one.needed.isdisjoint(present)
            ]
        return self.plans[present]

    def behind(self, element: Element, child: Element) -> None:
        """Process the text behind a child; what it holds comes after the child."""
        holder = Element("d")
        text, child.tail = child.tail or "", None
        inside = self.put_back(self._InlineProcessor__handleInline(text), holder, False)
        if holder.tail:
            child.tail = holder.tail
        if inside:
            position = list(element).index(child) + 1
            for node, _ in reversed(inside):
                element.insert(position, node)

    def _InlineProcessor__handleInline(self, data: str, patternIndex: int = 0) -> str:
        """`data` with a placeholder for each piece of markup; placeholders bring in no character that is needed."""
        return data if isinstance(data, AtomicString) else self.applied(self.plan(data), data, patternIndex)

    def applied(self, plan: list[Asked], data: str, index: int = 0) -> str:
        """The same by the patterns of a plan from an index on."""
        for one in plan:
            if one.place >= index and not (one.excluded and any(tag in self.ancestors for tag in one.excluded)):
                data = self.replaced(one, data)
        return data

    def replaced(self, one: Asked, data: str) -> str:
        """`data` with a placeholder for each piece that one pattern takes."""
        start = 0
        while match := one.search(data, start):
            node, first, last = one.pattern.handleMatch(match, data)
            if first is None or last is None:
                start = max(match.end(), match.start() + 1)
            elif node is None:  # the pattern passes over this piece
                start = last
            else:
                if not isinstance(node, str) and not isinstance(node.text, AtomicString):
                    self.nested(node, one.place)
                number = f"{len(self.stashed_nodes):04d}"
                self.stashed_nodes[number] = node
                before = f"{data[:first]}{INLINE_PLACEHOLDER % number}"
                data, start = before + data[last:], len(before)
        return data

    def nested(self, node: Element, index: int) -> None:
        """Process the text of a new element: inside it the patterns that come after its own."""
        for child in (node, *node):
            if child.text:
                self.ancestors.append(child.tag.lower())
                child.text = self._InlineProcessor__handleInline(child.text, index + 1)
                self.ancestors.pop()
            if child.tail:
                child.tail = self._InlineProcessor__handleInline(child.tail, index)

    def put_back(self, data: str, parent: Element, inside: bool = True) -> list[tuple[Element, list[str]]]:
        """The elements that the placeholders of `data` stand for; text before the first goes to `parent`."""
        if INLINE_PLACEHOLDER_PREFIX not in data:  # it stays the kind of string it is
            append(parent, data, not inside)
            return []
        text, *rest = INLINE_PLACEHOLDER_RE.split(data)
        made: list[tuple[Element, list[str]]] = []
        holder, tail = parent, not inside
        for number, after in zip(rest[::2], rest[1::2], strict=True):
            node = self.stashed_nodes.get(number, INLINE_PLACEHOLDER % number)
            if isinstance(node, str):
                text += node + after
                continue
            append(holder, text, tail)
            for child in (node, *node):
                if child.tail and INLINE_PLACEHOLDER_PREFIX in child.tail:
                    self._InlineProcessor__processElementText(node, child, False)  # type: ignore[attr-defined]
                if child.text and INLINE_PLACEHOLDER_PREFIX in child.text:
                    self._InlineProcessor__processElementText(child, child)  # type: ignore[attr-defined]
            made.append((node, self.ancestors[:]))
            holder, text, tail = node, after, True
        append(holder, text, tail)
        return made

    def _InlineProcessor__processPlaceholders(
        self, data: str | None, parent: Element, isText: bool = True
    ) -> list[tuple[Element, list[str]]]:
        """The same under the library's name."""
        return self.put_back(data, parent, isText) if data else []


def append(element: Element, text: str, tail: bool) -> None:
    """Put text into an element, or behind it, after what is there."""
    if not text:
        return
    if tail:
        element.tail = element.tail + text if element.tail else text
    else:
        element.text = element.text + text if element.text else text
