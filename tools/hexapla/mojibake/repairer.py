"""Garbled text to repaired text: diagnosis, candidates, choices, and what stays uncertain."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hexapla.mojibake.channel import Layer
from hexapla.mojibake.charsets import MULTI_BYTE
from hexapla.mojibake.codec_evidence import questioned, shape_of, survey
from hexapla.mojibake.confidence import calibrated, calibration, heavy, needed
from hexapla.mojibake.detect import suspect
from hexapla.mojibake.diagnosis import Finding, diagnose, gutted, packed
from hexapla.mojibake.impossible_text import beyond
from hexapla.mojibake.insertions import Insertion, find_insertion
from hexapla.mojibake.lossless import undo
from hexapla.mojibake.models import Corpus
from hexapla.mojibake.slots import Slot, index_of
from hexapla.mojibake.steps import Edit, Recode, Rewrite, Step, Unpack, apply, unpack
from hexapla.mojibake.verdict import Diagnosis, headless, hollow, torn, unread, verdict_of

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

    @classmethod
    def refusal(cls, text: str, reason: str) -> "Repair":
        """A garbled text left as it is, and why."""
        return cls(text, Diagnosis(garbled=True, refused=reason), (), 0, ())

    @property
    def garbled(self) -> bool:
        """Whether anything was found to be garbled."""
        return self.diagnosis.garbled


def looks_clean(text: str) -> bool:
    """Whether nothing shows that a text is garbled: it is not suspect, or no misreading explains what is."""
    return not suspect(text) or not (
        hollow(text) or beyond(text) or survey(text) or undo(text) or packed(text) or gutted(text))


def repair(text: str, corpus: Corpus | Iterable[str] = (), *, threshold: float = THRESHOLD,
           guess: bool = False) -> Repair:
    """Repair a text with the help of clean ones in the same language.

    corpus: clean texts in any languages, or a Corpus of them.
    threshold: the confidence, 0 to 1, under which a character is uncertain.
    guess: show the likeliest character where it is uncertain; otherwise 〓 stands there.
    """
    if not suspect(text):
        return Repair.clean(text)
    corpus = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    if reason := hollow(text):
        return Repair.refusal(text, reason)
    steps: list[Step] = []
    now = _undone(text, steps)
    if steps and (reason := hollow(now)):
        return Repair.refusal(text, reason)
    insertion = unpacked = None
    if readings := survey(now):
        insertion = find_insertion(now, shape_of(readings[0].codec))
        if insertion:
            steps.append(Rewrite(insertion.edits))
            now = _undone(apply(now, insertion.edits), steps)
    elif suspect(now) and (unpacked := packed(now)):
        steps.append(unpacked)
        now = unpack(now, unpacked)
    finding = diagnose(now, corpus, unpacked) if suspect(now) else None
    if finding is None and (reason := beyond(now) or _unread(now, unpacked)):
        return Repair.refusal(text, reason)
    if finding is None:
        changed = sum(1 for character in now if character >= "\x80") if steps else 0
        return Repair(now, verdict_of(steps, None, insertion), tuple(steps), changed, ())
    slots = _slots(now, finding)
    if steps and (codec := _twice(steps, finding)):
        return Repair.refusal(text, unread(codec))
    if reason := headless(finding.channel.layers[-1]) or torn(now, slots, finding.channel):
        return Repair.refusal(text, reason)
    if insertion and not insertion.every and (edits := _stray(now, slots, finding, insertion, corpus)):
        steps.append(Rewrite(edits))
        now = apply(now, edits)
        slots = _slots(now, finding)
    broken = bool(slots) and cut_short(now, slots[-1])
    edits, uncertain = fill(now, slots, finding, corpus, threshold, guess)
    steps.append(Rewrite(edits))
    return Repair(apply(now, edits), verdict_of(steps, finding, insertion, broken), tuple(steps), len(edits), uncertain)


def _unread(text: str, unpacked: Unpack | None) -> str:
    """Why a text that no channel explains is garbled all the same; empty where it is not."""
    misread = unpacked or (gutted(text) if suspect(text) else None)
    return unread(misread.codec) if misread else ""


def _twice(steps: Sequence[Step], finding: Finding) -> str:
    """The codec that bytes of UTF-8 were really read through, where they seem to have been read twice; '' elsewhere.

    UTF-8 read as Windows-1251 and that as Big5 is UTF-8 read as Big5, and which of the bytes that dropped is not known.
    """
    read = [step.layer for step in steps if isinstance(step, Recode)]
    again = read and read[-1].encoded == finding.channel.layers[-1].decoded
    return read[-1].decoded if again else ""


def _undone(text: str, steps: list[Step]) -> str:
    """The text after every misreading that lost nothing is undone; each is added to the steps.

    A legacy encoding reads almost anything. Where UTF-8 with bytes lost explains a text too, it is not to blame.
    Where whole characters turned to question marks the rest reads rightly, but something was lost.
    """
    for _ in range(DEEPEST):
        undone = undo(text)
        if undone is None or _lossy(text, undone[1]):
            break
        text, layer = undone
        steps.append(Recode(layer))
    return text


def _lossy(text: str, layer: Layer) -> bool:
    """Whether UTF-8 that lost bytes explains a text better than a misreading that lost none."""
    if layer.encoded == "utf-8":
        return layer.decoded in MULTI_BYTE and questioned(text) and packed(text) is not None
    return any((packed(text), gutted(text), questioned(text) and survey(text)))


def _slots(text: str, finding: Finding) -> list[Slot]:
    slots = index_of(finding.channel).read(text)
    return slots if heavy(finding.channel) else suspected(text, slots)


def _stray(text: str, slots: Sequence[Slot], finding: Finding, insertion: Insertion,
           corpus: Corpus) -> tuple[Edit, ...]:
    """The edits that take out the marks between characters which stand at no regular distance and were not written."""
    held = corpus.model(finding.language)
    if held is None:
        return ()
    from hexapla.mojibake.decoder import choices
    from hexapla.mojibake.inserted_marks import strays

    return strays(text, slots, choices(text, slots, held), insertion.mark, len(insertion.edits), held)


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
    from hexapla.mojibake.decoder import choices

    edits: list[Edit] = []
    doubtful: list[Uncertain] = []
    grown, scale = 0, calibration(finding.channel)
    for slot, choice in zip(slots, choices(text, slots, corpus.model(finding.language)), strict=True):
        confidence, shown = calibrated(choice.probability, scale), choice.text
        if cut_short(text, slot):
            confidence = min(confidence, CUT)
        others = tuple(other for other, _ in choice.others)
        if confidence < needed(threshold, choice.text, others):
            shown = (choice.text or text[slot.start:slot.end]) if guess else GETA
            doubtful.append(Uncertain(slot.start + grown, 1, 1, shown, choice.text, round(confidence, 4), others))
        edits.append(Edit(slot.start, slot.end, shown))
        grown += len(shown) - (slot.end - slot.start)
    return tuple(edits), tuple(_placed(apply(text, edits), doubtful))


def _placed(text: str, doubtful: Iterable[Uncertain]) -> Iterator[Uncertain]:
    """The uncertain characters of the repaired text, in order, with their lines and columns."""
    line, at = 1, 0
    for item in doubtful:
        line += text.count("\n", at, item.start)
        at = item.start
        yield replace(item, line=line, column=at - text.rfind("\n", 0, at))
