"""Garbled text -> diagnosis -> candidates with confidence -> repaired text, and what stays uncertain."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexapla.mojibake.models import Corpus
    from hexapla.mojibake.repairer import Repair, Uncertain, looks_clean, repair
    from hexapla.mojibake.steps import replay
    from hexapla.mojibake.verdict import Diagnosis

__all__ = ["Corpus", "Diagnosis", "Repair", "Uncertain", "looks_clean", "repair", "replay"]
# The module of each: imported when it is asked for, since the gate that every page passes needs none of them.
MODULES = {
    "Corpus": "models", "Diagnosis": "verdict", "Repair": "repairer", "Uncertain": "repairer",
    "looks_clean": "repairer", "repair": "repairer", "replay": "steps",
}


def __getattr__(name: str) -> object:
    """What the package offers under a name."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
