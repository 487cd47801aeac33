"""Garbled text -> diagnosis -> candidates with confidence -> repaired text, and what stays uncertain."""

from hexapla.mojibake.models import Corpus
from hexapla.mojibake.repair import Repair, Uncertain, looks_clean, repair
from hexapla.mojibake.steps import replay
from hexapla.mojibake.verdict import Diagnosis

__all__ = ["Corpus", "Diagnosis", "Repair", "Uncertain", "looks_clean", "repair", "replay"]
