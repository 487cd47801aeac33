"""Two texts word by word: what stayed, what went, what came."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum


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
