"""Lay out messages as their page is laid out: a line a sentence where it has that habit, else a paragraph as it comes.

A line break is put only where reading the page back joins the two lines again as they were.
"""

import re
from collections.abc import Iterable

from hexapla.pages.verbatim import replace_verbatim

CLOSING = "」』）】”’\"')"
# A quotation that ends with a full stop may stand inside a sentence; one in brackets is a sentence of its own.
SENTENCE_END = re.compile(rf"[。！？]）?(?![{CLOSING}])(?P<none>)|[.!?][{CLOSING}]*(?P<space>\s)")
OPENING = re.compile(r"[^\W\d_]|[「『“（(\[`]|[*_]{1,2}[^\s*_]")  # what a sentence may start a line with
BRACKETS = {"(": 1, "（": 1, ")": -1, "）": -1}
UNCASED = re.compile(r"[a-z]")


def sentences(text: str) -> list[str]:
    """The sentences of a message, to stand on a line each; code, links and brackets are not cut."""
    blank = replace_verbatim(lambda match: "x" * len(match.group()), text)
    parts, start, seen, depth = [], 0, 0, 0
    for match in SENTENCE_END.finditer(blank):
        spaced, after = match["space"] is not None, match.end()
        end = match.start("space") if spaced else after
        depth += sum(BRACKETS.get(character, 0) for character in blank[seen:end])
        seen = end
        joined = UNCASED.match(text, after) if spaced else text[after : after + 1].isascii()
        if depth <= 0 and not joined and OPENING.match(text, after):
            parts.append(text[start:end])
            start, depth = after, 0
    return [*parts, text[start:]]


def breaks_at_sentences(texts: Iterable[str]) -> bool:
    """Whether a page has a line a sentence; `texts` are its paragraphs and items as they stand."""
    broken = kept = 0
    for text in texts:
        for match in SENTENCE_END.finditer(text.rstrip()):
            rest = text[match.end("none") if match["space"] is None else match.start("space") :]
            if rest.startswith(("\n", "\r\n")):
                broken += 1
            elif rest.strip():
                kept += 1
    return broken > kept
