"""Simplified Chinese becomes Traditional as Taiwan writes it, in prose only."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Protocol

import opencc


class Piece(Protocol):
    """A run of text; `prose` is False where nothing may change."""

    @property
    def text(self) -> str: ...
    @property
    def prose(self) -> bool: ...


# Taiwan's quotation marks; OpenCC leaves punctuation alone.
QUOTES = str.maketrans("“”‘’", "「」『』")


@lru_cache(maxsize=1)
def _taiwan() -> Callable[[str], str]:
    """OpenCC's Taiwan standard with phrases; loading its dictionaries takes a third of a second, so once."""
    convert: Callable[[str], str] = opencc.OpenCC("s2twp").convert
    return convert


def traditional(text: str) -> str:
    """Convert a text by OpenCC alone, without a project's terms."""
    return Converter({})(text)


@lru_cache(maxsize=1)
def simplified_characters() -> dict[str, str]:
    """The Simplified form of every Traditional character, one by one."""
    characters = [chr(code) for code in range(0x4E00, 0xA000)]
    converted = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {one: other for one, other in zip(characters, converted, strict=True) if one != other}


class Converter:
    """A conversion with a project's own terms.

    `terms` gives the Traditional rendering of a Simplified term where OpenCC's phrase table is wrong for the subject
    (its 参数 is 引數, the argument of a function, also where a model's parameters are meant). Longer terms win, and a
    rendering that stands in the text already is left as it is.
    """

    def __init__(self, terms: Mapping[str, str]) -> None:
        self._terms = {rendering: rendering for rendering in terms.values()} | dict(terms)
        longest_first = sorted(self._terms, key=lambda term: (-len(term), term))
        self._split = re.compile("(" + "|".join(map(re.escape, longest_first)) + ")") if terms else None

    def __call__(self, text: str) -> str:
        """Convert a run of prose."""
        text = text.translate(QUOTES)
        if self._split is None:
            return _taiwan()(text)
        return "".join(self._terms[part] if part in self._terms else _taiwan()(part)
                       for part in self._split.split(text) if part)

    def page(self, pieces: Iterable[Piece]) -> str:
        """Convert the prose of a page cut into pieces, and put it together again."""
        return "".join(self(piece.text) if piece.prose else piece.text for piece in pieces)
