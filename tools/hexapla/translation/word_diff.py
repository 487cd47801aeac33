"""Two texts word by word: what stayed, what went, what came."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

WORD = re.compile(r"\S+\s*|^\s+")


class Kind(StrEnum):
    """What became of a run of words."""

    KEPT = "kept"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Run:
    """Words that stand together and fared alike."""

    kind: Kind
    words: tuple[str, ...]


def word_difference(old: Sequence[str], new: Sequence[str]) -> Iterator[Run]:
    """The runs of both texts; those kept and gone give back the old one, those kept and new the new one."""
    for operation, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if operation == "equal":
            yield Run(Kind.KEPT, tuple(old[first:last]))
            continue
        if first < last:
            yield Run(Kind.GONE, tuple(old[first:last]))
        if start < end:
            yield Run(Kind.NEW, tuple(new[start:end]))


def changed_words(old: Sequence[str], new: Sequence[str]) -> int:
    """How many words a translator has to look at: a word replaced counts once."""
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(max(last - first, end - start) for kind, first, last, start, end in blocks if kind != "equal")


def inline(old: str, new: str) -> Iterator[tuple[Kind, str]]:
    """The new text with what went and what came, word by word; white space makes no difference."""
    before, after = WORD.findall(old), WORD.findall(new)
    same = SequenceMatcher(None, [word.rstrip() for word in before], [word.rstrip() for word in after], autojunk=False)
    for operation, first, last, start, end in same.get_opcodes():
        if operation == "equal":
            yield Kind.KEPT, "".join(after[start:end])
            continue
        if first < last:
            yield Kind.GONE, "".join(before[first:last])
        if start < end:
            yield Kind.NEW, "".join(after[start:end])
