"""What is wrong with a section of a translation, said before it is written or recorded: by editor, import, draft, sync.

Errors keep a section out. Doubts are asked about once; a section that is kept in spite of them needs review.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

REASON = 300  # characters of a reason, as a record keeps it


class Note(NamedTuple):
    """What is wrong on a line of a section or a file of records: what and why."""

    line: int
    message: str


class Judgement(NamedTuple):
    """What is wrong with a section; it is free of faults where both are empty."""

    errors: tuple[Note, ...] = ()
    doubts: tuple[Note, ...] = ()

    @property
    def reason(self) -> str:
        """Why the section needs review, in one line; "" for a section without doubts."""
        return reason_of(fault.message for fault in self.doubts)

    @property
    def outcome(self) -> tuple[str, bool]:
        """What the section is once it was judged, and whether it was refused."""
        if self.errors:
            return f"not recorded, {reason_of(each.message for each in self.errors)}", True
        return f"needs review, {self.reason}" if self.doubts else "current", False


# Language, page, id of the source's section, its new text, and its text on disk, whose errors are doubts.
Judge = Callable[[str, str, str, str, str], Judgement]


def without_doubts(judge: Judge) -> Judge:
    """A judge of sections that somebody has read: what it refuses stays refused."""
    return lambda *section: Judgement(judge(*section).errors)


def reason_of(messages: Iterable[str]) -> str:
    """Why a section needs review, in one line of printable characters."""
    told = "; ".join(dict.fromkeys(messages))
    words = " ".join("".join(character if character.isprintable() else " " for character in told).split())
    return words if len(words) <= REASON else words[: REASON - 1] + "…"
