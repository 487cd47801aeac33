"""Garbled text -> diagnosis -> candidates with confidence -> repaired text, and what stays uncertain.

`garbled` says of a page whether it is mojibake. The names of the repair are loaded when they are used: a clean page,
and nearly every page is clean, needs none of the modules behind them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from hexapla.mojibake.page_diagnosis import garbled

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


def __getattr__(name: str) -> object:
    """Load the module of a name that the package exports. Raises AttributeError."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
