"""The difference of two texts word by word."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from hexapla.languages import UNSPACED
from hexapla.sequences import Opcode, opcodes

# A character of a script without spaces, any other word, white space that opens a text.
WORD = re.compile(rf"[{UNSPACED}]\s*|[^\s{UNSPACED}]+\s*|^\s+")


class DiffKind(StrEnum):
    """What happened to a run of words."""

    KEPT = "kept"
    GONE = "gone"
    NEW = "new"


class DiffRun(NamedTuple):
    """Consecutive words with the same kind of change."""

    kind: DiffKind
    words: tuple[str, ...]


def diff_runs(difference: Iterable[Opcode], old: Sequence[str], new: Sequence[str]) -> Iterator[DiffRun]:
    """The runs of two texts by their difference: those kept and gone make the old one, kept and new the new one."""
    for operation, first, last, start, end in difference:
        if operation == "equal":
            yield DiffRun(DiffKind.KEPT, tuple(new[start:end]))
            continue
        if first < last:
            yield DiffRun(DiffKind.GONE, tuple(old[first:last]))
        if start < end:
            yield DiffRun(DiffKind.NEW, tuple(new[start:end]))


def changed_words(old: Sequence[str], new: Sequence[str]) -> int:
    """How many words a translator has to look at: a word replaced counts once."""
    return sum(max(last - first, end - start) for kind, first, last, start, end in opcodes(old, new) if kind != "equal")


def inline_diff(old: str, new: str) -> Iterator[tuple[DiffKind, str]]:
    """The new text with the words removed and added; white space makes no difference."""
    before, after = WORD.findall(old), WORD.findall(new)
    same = opcodes([word.rstrip() for word in before], [word.rstrip() for word in after])
    return ((run.kind, "".join(run.words)) for run in diff_runs(same, before, after))
