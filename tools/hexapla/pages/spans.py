"""Cut a page into prose and what is not prose, so that a converter touches the one and keeps the other.

Not prose: code, inline code, link targets, ids and attribute lists, HTML, addresses, comments, directives, and front
matter but for the values a reader sees. The spans' texts joined are the page's text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from hexapla.pages.lines import FRONT, PROSE, Line, read


class Span(NamedTuple):
    """A run of the page's text; `prose` says whether a reader reads it as language."""

    text: str
    prose: bool


SHOWN_META = re.compile(r"(?P<key>(?:title|description)[ \t]*:)(?P<value>.*)$", re.S)
# In the order they are tried at a position. Each alternative is one thing that is not prose.
VERBATIM = re.compile(
    r"""
      (?P<ticks>`+)(?!`)[^`]*(?:(?!(?P=ticks)(?!`))`+[^`]+)*?(?P=ticks)(?!`)   # inline code
    | \]\(\s*<[^<>\n]*>                                      # ](<target>
    | \]\([^()\s"]*(?:\([^()\s]*\)[^()\s"]*)*                # ](target, one level of brackets inside
    | \]\[[^\[\]\n]*\]                                       # ][label]
    | ^[ \t]*\[[^\[\]\n]+\]:.*?$                             # [label]: target
    | <!--.*?-->
    | </?[A-Za-z][^<>]*>                                     # HTML tag
    | <[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]*>                     # <https://...>
    | https?://[-\w.~:/?\#\[\]@!$&'*+,;=%]+                  # bare address
    | \{:?[ \t]*[#.][^{}\n]*\}                               # {#id .class}
    | \[\^[^\]\s]+\]                                         # [^footnote]
    """,
    re.X | re.M | re.S | re.A,
)


def spans(text: str) -> list[Span]:
    """The page in pieces, in order, neighbours of one kind joined."""
    joined: list[Span] = []
    for span in pieces(list(read(text))):
        if joined and joined[-1].prose is span.prose:
            joined[-1] = Span(joined[-1].text + span.text, span.prose)
        elif span.text:
            joined.append(span)
    return joined


def pieces(lines: list[Line]) -> Iterator[Span]:
    """Runs of prose lines cut inside, everything else as it stands."""
    run: list[str] = []
    for line in lines:
        if line.block is PROSE and "8<-" not in line.text:
            run.append(line.text)
            if not line.text.strip():  # no inline markup reaches across an empty line
                yield from inline("".join(run))
                run = []
            continue
        yield from inline("".join(run))
        run = []
        meta = SHOWN_META.match(line.text) if line.block is FRONT else None
        if meta:
            yield Span(meta["key"], False)
            yield Span(meta["value"], True)
        else:
            yield Span(line.text, False)
    yield from inline("".join(run))


def inline(text: str) -> Iterator[Span]:
    """One block of prose, inline code, targets and HTML cut out."""
    position = 0
    for match in VERBATIM.finditer(text):
        yield Span(text[position : match.start()], True)
        yield Span(match.group(), False)
        position = match.end()
    yield Span(text[position:], True)
