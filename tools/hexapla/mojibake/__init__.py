"""Garbled text -> diagnosis -> candidates with confidence -> repaired text, and what stays uncertain."""

from .models import Corpus
from .repair import Repair, Uncertain, looks_clean, repair
from .steps import replay
from .verdict import Diagnosis

__all__ = ["Corpus", "Diagnosis", "Repair", "Uncertain", "looks_clean", "repair", "replay"]
