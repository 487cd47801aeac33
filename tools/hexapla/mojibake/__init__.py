"""Garbled text -> diagnosis -> candidates with confidence -> repaired text, and what stays uncertain.

The names of the repair are loaded when they are used: a clean page, and nearly every page is clean, needs none of the
modules behind them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from hexapla.mojibake.diagnose.suspect_text import is_suspect

if TYPE_CHECKING:
    from hexapla.mojibake.diagnosis_text import Diagnosis
    from hexapla.mojibake.encodings.steps import replay
    from hexapla.mojibake.filling import Uncertain
    from hexapla.mojibake.model.models import Corpus
    from hexapla.mojibake.repairer import Repair, looks_clean, repair

__all__ = ["Corpus", "Diagnosis", "Repair", "Uncertain", "garbled", "looks_clean", "repair", "replay"]
MODULES = {
    "Corpus": "model.models", "Diagnosis": "diagnosis_text", "Repair": "repairer", "Uncertain": "filling",
    "looks_clean": "repairer", "repair": "repairer", "replay": "encodings.steps",
}
SAMPLE = 2000  # characters of a page's suspect lines that are diagnosed


def __getattr__(name: str) -> object:
    """Load the module of a name that the package exports. Raises AttributeError."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)


def garbled(text: str) -> str | None:
    """How a text came to be garbled, as a sentence; None for a clean text."""
    if not is_suspect(text):
        return None
    from hexapla.mojibake.repairer import diagnosis_of, looks_clean  # clean pages, nearly all, never need it

    if looks_clean(text):
        return None
    lines, size = [], 0
    for line in text.split("\n"):
        if size < SAMPLE and not looks_clean(line):
            lines.append(line)
            size += len(line)
    diagnosis = diagnosis_of("\n".join(lines)[: 2 * SAMPLE] or text[:SAMPLE])  # one line may be all of a page
    if not diagnosis.garbled:
        return diagnosis.refused or None
    return "; ".join(diagnosis.steps)
