"""How much of a text came back: non-ASCII characters in their places, and those accepted as sure."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from hexapla.mojibake import Corpus, Repair, repair

GETA = "〓"


@dataclass(frozen=True)
class Score:
    """Sums over texts: non-ASCII characters, those right, those accepted, those both; bytes and CPU seconds."""

    characters: int = 0
    right: int = 0
    accepted: int = 0
    accepted_right: int = 0
    size: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Score") -> "Score":
        return Score(*(one + two for one, two in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def accuracy(self) -> float:
        """Percent of the non-ASCII characters that are right."""
        return 100 * self.right / max(self.characters, 1)

    @property
    def precision(self) -> float:
        """Percent of the accepted characters that are right."""
        return 100 * self.accepted_right / max(self.accepted, 1)

    @property
    def coverage(self) -> float:
        """Percent of the non-ASCII characters that were accepted."""
        return 100 * self.accepted / max(self.characters, 1)

    @property
    def speed(self) -> float:
        """KB of garbled UTF-8 a CPU second."""
        return self.size / 1000 / max(self.seconds, 1e-9)


def right(clean: str, other: str) -> int:
    """How many non-ASCII characters of the clean text stand in the other, aligned line by line."""
    one, two = clean.split("\n"), other.split("\n")
    pairs = zip(one, two, strict=True) if len(one) == len(two) else [(clean, other)]
    return sum(_right(a, b) for a, b in pairs)


def _right(clean: str, other: str) -> int:
    if clean == other:
        return sum(1 for character in clean if character >= "\x80")
    blocks = SequenceMatcher(None, clean, other, autojunk=False).get_matching_blocks()
    return sum(1 for at, _, size in blocks for character in clean[at:at + size] if character >= "\x80")


def score_repair(pages: Iterable[str], garbled: Callable[[str], str], corpus: Corpus) -> Score:
    """The score of repair() on garbled pages. It is told neither the chain nor the language."""
    total = Score()
    for clean in pages:
        broken = garbled(clean)
        begin = time.process_time()
        repaired = repair(broken, corpus, guess=True)
        seconds = time.process_time() - begin
        sure = marked(repaired)
        total += Score(
            sum(1 for character in clean if character >= "\x80"), right(clean, repaired.text),
            sum(1 for character in sure if character >= "\x80" and character != GETA), right(clean, sure),
            len(broken.encode("utf-8", "surrogatepass")), seconds,
        )
    return total


def marked(repaired: Repair) -> str:
    """The repaired text with the uncertain characters taken out; nothing of a refused page, which is accepted as none.

    What a page holds that was not noticed to be garbled counts as accepted: nobody is warned of it.
    """
    if repaired.diagnosis.refused:
        return ""
    pieces, at = [], 0
    for item in repaired.uncertain:
        pieces += (repaired.text[at:item.start], GETA * len(item.shown))
        at = item.start + len(item.shown)
    return "".join((*pieces, repaired.text[at:]))


def score_ftfy(pages: Iterable[str], garbled: Callable[[str], str]) -> Score:
    """The score of ftfy.fix_text on the same."""
    import ftfy

    total = Score()
    for clean in pages:
        broken = garbled(clean)
        begin = time.process_time()
        fixed = ftfy.fix_text(broken)
        seconds = time.process_time() - begin
        total += Score(sum(1 for character in clean if character >= "\x80"), right(clean, fixed),
                       size=len(broken.encode("utf-8", "surrogatepass")), seconds=seconds)
    return total
