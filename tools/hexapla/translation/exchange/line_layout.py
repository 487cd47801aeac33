"""Lay out messages as their page is laid out: a line a sentence where it has that habit, else a paragraph as it comes.

A line break is put only where reading the page back joins the two lines again as they were.
"""

import re
from collections.abc import Iterable

from hexapla.pages.blocks import VERBATIM

CLOSING = "」』）】”’\"')"
# A quotation that ends with a full stop may stand inside a sentence; one in brackets is a sentence of its own.
SENTENCE_END = re.compile(rf"[。！？]）?(?![{CLOSING}])(?P<none>)|[.!?][{CLOSING}]*(?P<space>\s)")
OPENING = re.compile(r"[^\W\d_]|[「『“（(\[`]|[*_]{1,2}[^\s*_]")  # what a sentence may start a line with
UNCASED = re.compile(r"[a-z]")


def sentences(text: str) -> list[str]:
    """The sentences of a message, to stand on a line each; code, links and brackets are not cut."""
    taken = [match.span() for match in VERBATIM.finditer(text)]
    parts, start = [], 0
    for match in SENTENCE_END.finditer(text):
        end, after = match.end("none") if match["space"] is None else match.start("space"), match.end()
        whole = text[start:end]
        cut = any(first < end < last for first, last in taken) or not OPENING.match(text, after)
        spaced = match["space"] is not None
        if cut or whole.count("(") > whole.count(")") or whole.count("（") > whole.count("）") or (
            UNCASED.match(text, after) if spaced else text[after].isascii()
        ):
            continue
        parts.append(whole)
        start = after
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
