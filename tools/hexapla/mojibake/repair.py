"""Garbled text to repaired text: diagnosis, candidates, choices, and what stays uncertain."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hexapla.mojibake.confidence import calibrated, heavy, needed
from hexapla.mojibake.diagnose import Finding, diagnose, packed
from hexapla.mojibake.insertions import find_insertion
from hexapla.mojibake.lossless import to_raw, undo
from hexapla.mojibake.models import Corpus
from hexapla.mojibake.plausible import CLEAN, share_common
from hexapla.mojibake.slots import Slot, index_of, read
from hexapla.mojibake.steps import Edit, Recode, Rewrite, Step, Unpack, apply
from hexapla.mojibake.survey import shape_of, survey
from hexapla.mojibake.verdict import Diagnosis, hollow, verdict_of

THRESHOLD = 0.99
GETA = "〓"           # what Japanese printers set where the type was missing
CUT = 0.5            # the most confidence in a character that the text breaks off in
DEEPEST = 4          # misreadings on top of one another that are undone


@dataclass(frozen=True)
class Uncertain:
    """A character whose confidence is under the threshold.

    Its place in the repaired text: line and column from 1, `start` from 0. `shown` stands there, `text` is likeliest.
    """

    start: int
    line: int
    column: int
    shown: str
    text: str
    confidence: float
    alternatives: tuple[str, ...]


@dataclass(frozen=True)
class Repair:
    """A text after repair. `changed` counts the characters that were put in the place of garbled ones."""

    text: str
    diagnosis: Diagnosis
    steps: tuple[Step, ...]
    changed: int
    uncertain: tuple[Uncertain, ...]

    @classmethod
    def clean(cls, text: str) -> "Repair":
        """The repair of a text that needs none."""
        return cls(text, Diagnosis(), (), 0, ())

    @property
    def garbled(self) -> bool:
        """Whether anything was found to be garbled."""
        return self.diagnosis.garbled


def looks_clean(text: str) -> bool:
    """Whether nothing about a text is suspect. Cheap: made to wave clean pages through."""
    return text.isascii() or ("\ufffd" not in text and not survey(text) and share_common(text) >= CLEAN)


def repair(text: str, corpus: Corpus | Iterable[str] = (), *, threshold: float = THRESHOLD,
           guess: bool = False) -> Repair:
    """Repair a text with the help of clean ones in the same language.

    corpus: clean texts in any languages, or a Corpus of them.
    threshold: the confidence, 0 to 1, under which a character is uncertain.
    guess: show the likeliest character where it is uncertain; otherwise 〓 stands there.
    """
    if looks_clean(text):
        return Repair.clean(text)
    corpus = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    if reason := hollow(text):
        return Repair(text, Diagnosis(garbled=True, refused=reason), (), 0, ())
    steps: list[Step] = []
    now = _undone(text, steps)
    insertion = codec = None
    if readings := survey(now):
        insertion = find_insertion(now, shape_of(readings[0].codec))
        if insertion:
            steps.append(Rewrite(insertion.edits))
            now = _undone(apply(now, insertion.edits), steps)
    elif not looks_clean(now) and (codec := packed(now)):
        steps.append(Unpack(codec))
        now = to_raw(now, codec)
    finding = None if looks_clean(now) else diagnose(now, corpus, codec or "")
    if finding is None:
        changed = sum(1 for character in now if character >= "\x80") if steps else 0
        return Repair(now, verdict_of(steps, None, insertion), tuple(steps), changed, ())
    slots = read(now, index_of(finding.channel))
    if not heavy(finding.channel):
        slots = suspected(now, slots)
    broken = bool(slots) and cut_short(now, slots[-1])
    edits, uncertain = fill(now, slots, finding, corpus, threshold, guess)
    steps.append(Rewrite(edits))
    return Repair(apply(now, edits), verdict_of(steps, finding, insertion, broken), tuple(steps), len(edits), uncertain)


def _undone(text: str, steps: list[Step]) -> str:
    """The text after every misreading that lost nothing is undone; each is added to the steps."""
    for _ in range(DEEPEST):
        undone = undo(text)
        if undone is None:
            break
        text, layer = undone
        steps.append(Recode(layer))
    return text


def suspected(text: str, slots: Sequence[Slot]) -> list[Slot]:
    """The slots without the symbols that stand alone in lines where nothing else is garbled: a clean "café"."""
    kept, line_end, trusted = [], -1, False
    for slot in slots:
        if slot.start >= line_end:
            begin = text.rfind("\n", 0, slot.start) + 1
            line_end = text.find("\n", slot.start) + 1 or len(text)
            trusted = bool(_TOGETHER.search(text, begin, line_end))
        if trusted:
            kept.append(slot)
    return kept


_TOGETHER = re.compile(r"[^\x00-\x7f]{2}")


def cut_short(text: str, slot: Slot) -> bool:
    """Whether a slot is what the text breaks off in: nothing after it, and more than one thing it may have been."""
    return slot.end == len(text) and len(slot.candidates) != 1


def fill(text: str, slots: Sequence[Slot], finding: Finding, corpus: Corpus, threshold: float,
         guess: bool) -> tuple[tuple[Edit, ...], tuple[Uncertain, ...]]:
    """The edits that put a character into every slot, and those that are uncertain."""
    from hexapla.mojibake.decode import choices

    held = corpus.model(finding.language)
    edits: list[Edit] = []
    uncertain: list[Uncertain] = []
    line, column, at, start = 1, 1, 0, 0
    for slot, choice in zip(slots, choices(text, slots, held), strict=True):
        between = text[at:slot.start]
        if lines := between.count("\n"):
            line, column = line + lines, len(between) - between.rfind("\n")
        else:
            column += len(between)
        at = slot.end
        start += len(between)
        confidence = calibrated(choice.probability, finding.channel)
        others = tuple(other for other, _ in choice.others)
        if cut_short(text, slot):
            confidence = min(confidence, CUT)
        shown = choice.text
        if confidence < needed(threshold, choice.text, others):
            shown = (choice.text or text[slot.start:slot.end]) if guess else GETA
            uncertain.append(Uncertain(start, line, column, shown, choice.text, round(confidence, 4), others))
        edits.append(Edit(slot.start, slot.end, shown))
        column += len(shown)
        start += len(shown)
    return tuple(edits), tuple(uncertain)
