"""How much a line of a scraped page looks like a unit of its parallel page, whatever their languages.

Numbers, words in Latin letters and code are the same in both; lengths are in proportion; a heading ends in no full
stop. What is rare says more than what is everywhere.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

from hexapla.convert.scraped.parallel_page import ParallelUnit, UnitKind
from hexapla.pages.blocks import INCLUDE

TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]+|\d+(?:[.,]\d+)*")
WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60]")
STOP = re.compile(r"[.!?:。！？：…।؟](?:[)\]\"'」』）”’*_`]*)$")
BULLET = re.compile(r"(?:[•◦▪‣·*+-]|\d{1,3}[.)])[ \t]+")
PERMALINK = re.compile(r"[ \t]*[¶#§🔗\ue157]$")
RATIO = {True: 0.85, False: 1.15}  # the width of a translation by that of English, in wide letters or not
SHORT = 60  # the width of what may be a heading or a label
# What each piece of evidence adds to the logarithm of how likely two are a pair; tuned on FastAPI's pages and the
# Hugging Face course, see benchmarks/convert.
EQUAL, SHARED, UNSHARED, LENGTH, ENDS, APART, LABEL, BASE = 6.0, 7.0, -3.0, -2.2, 0.8, 0.8, 0.5, 0.3


class EvidenceWeights(NamedTuple):
    """What a page and its parallel page say of their words: how much each says, and the ratio of their lengths."""

    weights: Mapping[str, float]
    ratio: float


class TextEvidence(NamedTuple):
    """What of a text can be compared with another language's: the words that both pages have, and their weight."""

    text: str
    tokens: frozenset[str]
    weight: float
    width: int
    stops: bool
    apart: float  # 1 with empty lines around it, -1 without, 0 where a page has none


def text_width(text: str) -> int:
    """How much room a text takes, in Latin letters."""
    return len(text) + len(WIDE.findall(text))


def tokens_of(text: str) -> set[str]:
    """The words and numbers of a text that do not depend on its language."""
    return {match.group().lower() for match in TOKEN.finditer(text)}


def read_evidence(text: str, weights: Mapping[str, float], apart: float = 0.0) -> TextEvidence:
    tokens = frozenset(token for token in tokens_of(text) if token in weights)
    weight = sum(weights[token] for token in tokens)
    return TextEvidence(text, tokens, weight, text_width(text), bool(STOP.search(text)), apart)


def weigh_tokens(lines: Sequence[str], units: Sequence[ParallelUnit], ratio: float = 0.0) -> EvidenceWeights:
    """The weights of the tokens that both pages have; those of one alone say nothing."""
    ours, theirs = (Counter(token for text in texts for token in tokens_of(text))
                    for texts in (lines, [unit.shown for unit in units]))
    weights = {token: 1 / (1 + log(ours[token] * theirs[token])) for token in ours.keys() & theirs.keys()}
    wide = [sum(len(WIDE.findall(text)) for text in texts) * 5 > sum(map(len, texts))
            for texts in (lines, [unit.shown for unit in units])]
    return EvidenceWeights(weights, ratio or RATIO[wide[0]] / (RATIO[True] if wide[1] else 1.0))


def measure_likeness(line: TextEvidence, unit: TextEvidence, kind: UnitKind, weights: EvidenceWeights) -> float | None:
    """The logarithm of how much likelier a line and a unit are a pair than not; None for what cannot be one."""
    if kind is UnitKind.UNTITLED:
        return LABEL if line.width <= SHORT // 2 and not line.stops else None
    if line.text == unit.text:
        return EQUAL + min(len(unit.text) / 20, 3.0)
    shared = sum(weights.weights[token] for token in line.tokens & unit.tokens)
    either = line.weight + unit.weight - shared
    if kind is UnitKind.CODE:
        includes = INCLUDE in line.text  # which a build would follow, wherever it stands
        return SHARED * (shared / either - 0.5) if shared * 2 >= either > 0 and not includes else None
    if kind is UnitKind.ROW and ("\t" in line.text) != ("\t" in unit.text):
        return None
    if kind in {UnitKind.HEADING, UnitKind.TITLE} and line.width > 2 * max(SHORT, unit.width):
        return None
    score = BASE + (shared * SHARED + (either - shared) * UNSHARED) / max(either, 1.0)
    expected = weights.ratio if kind is not UnitKind.ROW else 1.0
    score += LENGTH * min(abs(log((line.width + 4) / (expected * unit.width + 4))), 2.0)
    score += ENDS if line.stops == unit.stops else -ENDS
    if kind is UnitKind.HEADING or kind is UnitKind.PARAGRAPH:
        score += APART * line.apart
    elif kind is not UnitKind.TITLE:
        score -= APART / 2 * line.apart
    return score
