"""Repair garbled text: diagnosis, candidates, the choice among them, and what stays uncertain."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hexapla.mojibake import diagnosis_text
from hexapla.mojibake.decode.slots import Slot, candidate_index
from hexapla.mojibake.diagnose.chain_diagnosis import (
    DiagnosedChain,
    diagnose_chain,
    multibyte_misreading,
    thinned_misreading,
)
from hexapla.mojibake.diagnose.insertions import Insertion, find_insertion
from hexapla.mojibake.diagnose.suspect_text import find_impossible, find_unwritten, is_suspect
from hexapla.mojibake.encodings.byte_patterns import fitting_codecs, has_lost_marks, shape_of
from hexapla.mojibake.encodings.encoding_chain import MULTI_BYTE, Layer
from hexapla.mojibake.encodings.lossless import lacks_letters, undo_misreading
from hexapla.mojibake.encodings.steps import Edit, Recode, Rewrite, Step, Unpack, apply_edits, unpack_bytes
from hexapla.mojibake.filling import CUT, Uncertain, doubt_everything, fill_slots, has_lost_all_c1, is_cut_short
from hexapla.mojibake.model.models import Corpus
from hexapla.mojibake.model.script_languages import LATIN, language_of
from hexapla.mojibake.model.wordlists import share_of_known_words

if TYPE_CHECKING:
    from hexapla.mojibake.decode.decoder import Choice
    from hexapla.mojibake.model.ngrams import LanguageModel

THRESHOLD = 0.99
# The share of words with accented letters that a language has, below which none is sure: where a code page is taken for
# a like one, é is í everywhere. Repaired texts that were right to half had 0.4 and more, such wrong ones up to 0.29
# (`python -m benchmarks.mojibake.refusals --part tune`).
KNOWN = 0.3
# The same share below which a legacy encoding that decodes without a loss is the wrong one, in a language of any list:
# words of one that has none are often those of another.
STRAY = 0.1
COMPARED = 2000      # slots on which models are compared
DEEPEST = 4          # misreadings on top of one another that are undone


class Repair(NamedTuple):
    """A text after repair; `changed` is the number of characters that replaced garbled ones."""

    text: str
    diagnosis: diagnosis_text.Diagnosis
    steps: tuple[Step, ...]
    changed: int
    uncertain: tuple[Uncertain, ...]

    @classmethod
    def clean(cls, text: str) -> "Repair":
        """The repair of a text that needs none."""
        return cls(text, diagnosis_text.Diagnosis(), (), 0, ())

    @classmethod
    def refusal(cls, text: str, reason: str) -> "Repair":
        """A garbled text left as it is, and why."""
        return cls(text, diagnosis_text.Diagnosis(garbled=True, refused=reason), (), 0, ())

    @property
    def expected(self) -> float:
        """The share of the changed characters that are likely right, 0 to 1: their confidence on average."""
        doubted = sum(1.0 - item.confidence for item in self.uncertain)
        return 1.0 - doubted / self.changed if self.changed else 1.0

    @property
    def garbled(self) -> bool:
        return self.diagnosis.garbled


def looks_clean(text: str) -> bool:
    """Whether a text shows no sign of being garbled: it is not suspect, or no misreading explains why it is."""
    signs = (diagnosis_text.too_much_lost, find_impossible, find_unwritten, fitting_codecs, undo_misreading,
             multibyte_misreading, thinned_misreading)
    return not is_suspect(text) or not any(sign(text) for sign in signs)


def repair(text: str, corpus: Corpus | Iterable[str] = (), *, threshold: float = THRESHOLD,
           guess: bool = False) -> Repair:
    """Repair a text with the help of clean ones in the same language, or of a Corpus of them.

    A character is uncertain under the `threshold`, 0 to 1, and shown as 〓, or as the likeliest with `guess`.
    """
    corpus = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    explained = _explain_text(text, corpus)
    if isinstance(explained, Repair):
        return explained
    now, slots, found = explained.text, explained.slots, explained.found
    model = _model_for(now, slots, found.language, corpus)
    chosen = _choose_all(now, slots, model)
    likeliest = [Edit(slot.start, slot.end, choice.text) for slot, choice in zip(slots, chosen, strict=True)]
    if model and (reason := diagnosis_text.spells_nothing(apply_edits(now, likeliest), found.chain)):
        return Repair.refusal(text, reason)
    if found.language == LATIN and not model:
        sure, _ = fill_slots(now, slots, chosen, found, threshold, guess=False)
        if (share := share_of_known_words(apply_edits(now, sure))) < KNOWN:
            slots, chosen = doubt_everything(now, slots, chosen, share)
    if lacks_letters(apply_edits(now, likeliest), found.chain.layers[-1].decoded):
        slots, chosen = doubt_everything(now, slots, chosen, CUT)
    edits, uncertain = fill_slots(now, slots, chosen, found, threshold, guess)
    steps = (*explained.steps, Rewrite(edits))
    return Repair(apply_edits(now, edits), explained.diagnosis, steps, len(edits), uncertain)


def _model_for(text: str, slots: Sequence[Slot], language: str, corpus: Corpus) -> "LanguageModel | None":
    """The model with the pages at hand, or without them where the text is likelier so: pages may be of another kind."""
    model = corpus.model(language)
    if not slots or not corpus.has_choice(language):
        return model
    from hexapla.mojibake.decode.decoder import text_likelihood

    some = slots[:COMPARED]
    models = [known for known in (model, corpus.model(language, pages=False)) if known]
    return max(models, key=lambda known: text_likelihood(text[:some[-1].end], some, known), default=None)


def _choose_all(text: str, slots: Sequence[Slot], model: "LanguageModel | None") -> "list[Choice]":
    from hexapla.mojibake.decode.decoder import choose_characters  # needs numpy, which diagnosis does not

    return choose_characters(text, slots, model)


def diagnosis_of(text: str) -> diagnosis_text.Diagnosis:
    """Diagnose a text as `repair` does without clean ones; no slot is filled, so numpy is not needed."""
    return _explain_text(text, Corpus()).diagnosis


class _Explained(NamedTuple):
    """A text before its slots are filled: `steps` led to it, `found` is the chain that left the slots."""

    text: str
    diagnosis: diagnosis_text.Diagnosis
    steps: tuple[Step, ...]
    slots: Sequence[Slot]
    found: DiagnosedChain


def _explain_text(text: str, corpus: Corpus) -> "Repair | _Explained":
    """Undo what lost nothing and diagnose the rest; a Repair for a text that has no slots to fill, or is refused."""
    if not is_suspect(text):
        return Repair.clean(text)
    if reason := diagnosis_text.too_much_lost(text):
        return Repair.refusal(text, reason)
    steps: list[Step] = []
    now = _undo_lossless(text, steps)
    if steps and (reason := diagnosis_text.too_much_lost(now)):
        return Repair.refusal(text, reason)
    now, insertion, unpacked = _undo_insertion_or_unpack(now, steps)
    found = diagnose_chain(now, corpus, unpacked) if is_suspect(now) else None
    if found is None:
        if reason := find_impossible(now) or find_unwritten(now):
            return Repair.refusal(text, reason)
        if unpacked:
            return Repair.refusal(text, diagnosis_text.unreadable_reason(unpacked.codec))
        changed = sum(1 for character in now if character >= "\x80") if steps else 0
        return Repair(now, diagnosis_text.describe_steps(steps, None, insertion), tuple(steps), changed, ())
    slots = _find_slots(now, found)
    if codec := _codec_read_twice(steps, found):
        return Repair.refusal(text, diagnosis_text.unreadable_reason(codec))
    if reason := diagnosis_text.unexplained_signs(now, slots, found.chain):
        return Repair.refusal(text, reason)
    if insertion and (edits := _irregular_marks(now, slots, found, insertion, corpus)):
        steps.append(Rewrite(edits))
        now = apply_edits(now, edits)
        slots = _find_slots(now, found)
    truncated = bool(slots) and is_cut_short(now, slots[-1])
    diagnosis = diagnosis_text.describe_steps(steps, found, insertion, truncated)
    return _Explained(now, diagnosis, tuple(steps), slots, found)


def _undo_insertion_or_unpack(text: str, steps: list[Step]) -> tuple[str, Insertion | None, Unpack | None]:
    """Take out an inserted mark, or go back to the bytes behind a multi-byte misreading; adds to the steps."""
    if fits := fitting_codecs(text):
        insertion = find_insertion(text, shape_of(fits[0].codec))
        if insertion:
            steps.append(Rewrite(insertion.edits))
            text = _undo_lossless(apply_edits(text, insertion.edits), steps)
        return text, insertion, None
    unpacked = (multibyte_misreading(text) or thinned_misreading(text)) if is_suspect(text) else None
    if unpacked:
        steps.append(unpacked)
        text = unpack_bytes(text, unpacked)
    return text, None, unpacked


def _codec_read_twice(steps: Sequence[Step], found: DiagnosedChain) -> str:
    """The codec of UTF-8 that only seems to have been misread twice; '' for any other text.

    UTF-8 read as Windows-1251 and that as Big5 is UTF-8 read as Big5; which bytes that dropped is not known.
    """
    read = [step.layer for step in steps if isinstance(step, Recode)]
    again = read and read[-1].encoded == found.chain.layers[-1].decoded
    return read[-1].decoded if again else ""


def _undo_lossless(text: str, steps: list[Step]) -> str:
    """Undo every misreading that lost no bytes, unless UTF-8 that lost some explains the text; adds to the steps."""
    for _ in range(DEEPEST):
        undone = undo_misreading(text)
        if undone is None or _is_lossy(text, *undone):
            break
        text, layer = undone
        steps.append(Recode(layer))
    return text


def _is_lossy(text: str, undone: str, layer: Layer) -> bool:
    """Whether UTF-8 with bytes lost explains a text better than a misreading that lost none.

    Bytes of UTF-8 that were read as Latin-1 can be read as Cyrillic too, and are UTF-8 read as Cyrillic then.
    """
    if layer.encoded == "utf-8":
        return layer.decoded in MULTI_BYTE and (lacks_letters(undone, layer.decoded) or (
            has_lost_marks(text) and multibyte_misreading(text) is not None))
    if layer.decoded not in MULTI_BYTE and any(fit.codec == layer.encoded for fit in fitting_codecs(undone)):
        return True
    if any((multibyte_misreading(text), thinned_misreading(text), has_lost_marks(text) and fitting_codecs(text))):
        return True
    return language_of(undone) == LATIN and share_of_known_words(undone) < STRAY    # last: it reads word lists


def _find_slots(text: str, found: DiagnosedChain) -> list[Slot]:
    slots = candidate_index(found.chain).read_slots(text)
    return slots if has_lost_all_c1(found.chain) else without_isolated(text, slots)


def _irregular_marks(text: str, slots: Sequence[Slot], found: DiagnosedChain, insertion: Insertion,
                     corpus: Corpus) -> tuple[Edit, ...]:
    """The edits that remove marks inserted between characters where counting bytes did not find them.

    Beside regular ones these are as many as their row lacks.
    """
    if insertion.every and not insertion.missing:
        return ()
    model = corpus.model(found.language)
    if model is None:
        return ()
    from hexapla.mojibake.decode.inserted_marks import inserted_mark_edits

    most = insertion.missing if insertion.every else None
    chosen = _choose_all(text, slots, model)
    edits = inserted_mark_edits(text, slots, chosen, insertion.mark, len(insertion.edits), model, most)
    written = re.compile(r"[\x00-\x7f]\s")      # around a mark of a Latin sentence, which the model knows little of
    return tuple(edit for edit in edits
                 if not insertion.every or not written.match(text[edit.start - 1] + text[edit.end:edit.end + 1]))


def without_isolated(text: str, slots: Sequence[Slot]) -> list[Slot]:
    """Leave out single symbols of lines in which nothing else is garbled: those of a clean "café"."""
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
