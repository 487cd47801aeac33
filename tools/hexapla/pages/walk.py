"""What an HTML parser would tell of a rendered page, had from the page's tree: quicker, and only where both agree.

They agree where the tree's HTML is sure to come back as the same tree: known tags, none in a place that closes the tag
around it, known attributes, no HTML that the author wrote, no entities but those of escaping.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element

from markdown.util import HTML_PLACEHOLDER, STX

from hexapla.pages.html_reader import Event

FENCE = "<pre></pre>"  # what becomes of a fence: nothing in it makes a link or an id
CODE = re.compile(r'<pre(?: class="[-\w ]*")?>(?:<code>[^<]*</code>)?</pre>\s*')
BARE: Mapping[str, str] = {}
ESCAPED = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"'}
PREFIX = len(HTML_PLACEHOLDER % "") - 1
PLACEHOLDER = re.compile(HTML_PLACEHOLDER % "([0-9]+)")
STANDS_FOR = re.compile(PLACEHOLDER.pattern + "|&(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);", re.I)
AMPERSAND = re.compile("&(?:[a-z]+;)?")

INLINE = frozenset(
    ["a", "abbr", "br", "code", "del", "em", "img", "ins", "kbd", "mark", "span", "strong", "sub", "sup"]
)
FLOW = INLINE | {
    "blockquote", "details", "div", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "summary",
    "table", "ul",
}
# By tag: what may stand in it.
INSIDE: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(["p", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary", *INLINE], INLINE),
    **dict.fromkeys(["blockquote", "dd", "details", "div", "li", "td", "th"], FLOW),
    **dict.fromkeys(["br", "hr", "img"], frozenset()),
    **dict.fromkeys(["ol", "ul"], frozenset(["li"])),
    **dict.fromkeys(["thead", "tbody"], frozenset(["tr"])),
    "a": INLINE - {"a"}, "dl": frozenset(["dt", "dd"]), "pre": frozenset(["code"]),
    "table": frozenset(["thead", "tbody"]), "tr": frozenset(["td", "th"]),
}
EMPTY = frozenset(["br", "hr", "img"])
ATTRIBUTES = frozenset(
    ["align", "alt", "class", "height", "href", "id", "open", "rel", "src", "start", "style", "target", "title",
     "width"]
)


class NotPlain(Exception):
    """The tree's HTML may come back as another tree."""


def walk(root: Element, stash: Sequence[object]) -> list[Event] | None:
    """What there is to tell of a page, None where only a parser knows; `stash` has the placeholders' HTML."""
    walker = Walker(stash)
    try:
        if root.text:
            walker.events.append(walker.shown(root.text))
        walker.inside(root, FLOW)
    except NotPlain:
        return None
    return [("html", BARE), ("body", BARE), *walker.events, None, None]


class Walker:
    """Goes through a tree."""

    def __init__(self, stash: Sequence[object]) -> None:
        self.stash = stash
        self.events: list[Event] = []

    def inside(self, parent: Element, allowed: frozenset[str]) -> None:
        """Tell of an element's children."""
        tell = self.events.append
        for child in parent:
            tag, text, attributes = child.tag, child.text, child.items()
            if tag not in allowed:
                raise NotPlain
            if text and text[0] == STX and tag in {"p", "li"} and self.is_block(child):
                events: list[Event] = [("pre", BARE), None] if CODE.fullmatch(self.stashed(text)) else []
                self.events += events if tag == "p" else [(tag, BARE), *events, None]
            else:
                tell((tag, self.known(attributes) if attributes else BARE))
                if text and tag not in EMPTY:
                    tell(self.shown(text) if STX in text or "&" in text else text)
                if len(child):
                    self.inside(child, INSIDE[tag])
                tell(None)
            if child.tail:
                tell(self.shown(child.tail))

    def known(self, attributes: Iterable[tuple[str, str]]) -> Mapping[str, str]:
        """Attributes in the order in which they are serialized."""
        known = {}
        for name, value in sorted(attributes):
            if name not in ATTRIBUTES or not isinstance(value, str):
                raise NotPlain
            known[name] = self.shown(value)
        return known

    def is_block(self, element: Element) -> bool:
        """Whether all that an element holds is code or a comment."""
        if element.items() or len(element) or not PLACEHOLDER.fullmatch(element.text or ""):
            return False
        html = self.stashed(element.text or "")
        return bool(CODE.fullmatch(html)) or is_comment(html)

    def stashed(self, placeholder: str) -> str:
        """What a placeholder stands for."""
        number = int(placeholder[PREFIX:-1])
        html = self.stash[number] if number < len(self.stash) else None
        if not isinstance(html, str):
            raise NotPlain
        return html

    def shown(self, text: str) -> str:
        """Text or an attribute's value as a reader gets it."""
        if STX not in text and "&" not in text:
            return text
        text = STANDS_FOR.sub(self.put_in, text)
        if STX in text:
            raise NotPlain
        return text

    def put_in(self, match: re.Match[str]) -> str:
        """What an entity or a placeholder stands for."""
        found = match.group()
        if found[0] == "&":
            return unescaped(match)
        html = self.stashed(found)
        if "<" in html:
            raise NotPlain
        return AMPERSAND.sub(unescaped, html) if "&" in html else html


def unescaped(match: re.Match[str]) -> str:
    """The character that was escaped."""
    if match.group() not in ESCAPED:
        raise NotPlain
    return ESCAPED[match.group()]


def is_comment(html: str) -> bool:
    """Whether a piece of HTML is one comment, with nothing in it that parsers take for its end."""
    whole = html.strip()
    return whole == f"<!--{whole[4:-3]}-->" and "--" not in whole[4:-3] and not whole[4:-3].startswith((">", "-"))
