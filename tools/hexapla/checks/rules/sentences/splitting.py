"""The sentences of a block, with the inline code in them."""

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from hexapla.checks.memo import memoized
from hexapla.checks.rules.text.prose import RUNNING, find_readable
from hexapla.languages import base
from hexapla.pages import Block, Page
from hexapla.pages.html_vocabulary import OBJECT

SHORTENED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|al|approx|No|Fig|Eq|Dr|Mr|Ms)\.", re.I)
LEADER = "\u2024"  # stands for a point that ends no sentence
SPACED = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+(?=[^a-z\s])")
CLOSED = re.compile(r"(?<=[。！？…])[」』）)”’\"']*+(?![」』）)、，])|(?<=[.!?])\s+")
WORDLIKE = re.compile(f"[^\\W_]|{OBJECT}")


class SaidBlock(NamedTuple):
    """A block a reader reads, and its text with the inline code in the places of the marks for it."""

    block: Block
    text: str


@memoized
def said_blocks(page: Page) -> tuple[SaidBlock, ...]:
    """The running text of a page; code that a block's marks cannot be told from images stays a mark."""
    starts = [(block.line, block.column) for block in page.blocks]
    inside: dict[int, list[tuple[int, int, str]]] = {}
    shown = [(code.line, code.column, f"`{code.text}`") for code in page.codes]
    shown += [(link.line, link.column, f"`{link.target}`") for link in page.links if link.image]
    for item in sorted(shown):
        if place := bisect_right(starts, item[:2]):
            inside.setdefault(place - 1, []).append(item)
    places = {start: index for index, start in enumerate(starts)}
    found = []
    for block in find_readable(page.blocks):
        if block.kind in RUNNING:
            pieces = block.text.split(OBJECT)
            codes = [text for _, _, text in inside.get(places[block.line, block.column], ())]
            if len(codes) == len(pieces) - 1:
                text = "".join(part for pair in zip(pieces, [*codes, ""], strict=True) for part in pair)
            else:
                text = block.text
            found.append(SaidBlock(block, text))
    return tuple(found)


@lru_cache(maxsize=8192)
def cut_pieces(text: str, language: str) -> tuple[str, ...]:
    """A text cut where its sentences end, in the language's own way; what has no letter is left out.

    >>> cut_pieces("こうします。例:", "ja")
    ('こうします。', '例:')
    """
    text = SHORTENED.sub(lambda found: found[0].replace(".", LEADER), text)
    ends = CLOSED if base(language) in {"zh", "yue", "ja"} else SPACED
    return tuple(piece.strip().replace(LEADER, ".") for piece in ends.split(text) if WORDLIKE.search(piece))


@lru_cache(maxsize=8192)
def cut_sentences(text: str, language: str) -> tuple[str, ...]:
    """The sentences of a text without code: pieces of more than one word, as a letter is where no spaces part words."""
    return tuple(piece for piece in cut_pieces(text, language) if len([*islice(WORDLIKE.finditer(piece), 2)]) == 2)
