"""Tokens: about how many a text has for a model nobody has the tokenizer of, and how many were spent of a budget."""

import re
from collections.abc import Iterable
from math import ceil
from threading import Lock
from typing import NamedTuple

from hexapla.languages import CYRILLIC, GREEK, HANGUL, UNSPACED, base
from hexapla.report_text import plural

# Tokens a character: the mean of four tokenizers (cl100k_base, o200k_base, DeepSeek's, Mistral's tekken) on the prose
# of this guide and of React's and FastAPI's documentation in 12 languages, measured in 2026-11. Each of the four lies
# within a third of what this counts there, for Hindi within a half.
RATES = (
    (re.compile(f"[{UNSPACED}]"), 0.95), (re.compile(f"[{HANGUL}]"), 0.8), (re.compile(f"[{CYRILLIC}{GREEK}]"), 0.4),
    (re.compile(r"[\x00-\x7f]"), 0.26),
)
OTHER_RATE = 0.6
# Tokens of a translation for each token of the English, by the same tokenizers on the same pages.
LENGTHS = {"en": 1.0, "zh": 1.2, "ja": 1.5, "ko": 1.4}
OTHER_LENGTH = 1.3
AROUND_MESSAGE = 6  # tokens of a message's number, quotation marks and comma in an answer


class Tokens(NamedTuple):
    """Tokens sent to a model and received from it."""

    sent: int = 0
    received: int = 0

    @property
    def total(self) -> int:
        """What a budget is compared with."""
        return self.sent + self.received

    def plus(self, other: "Tokens") -> "Tokens":
        return Tokens(self.sent + other.sent, self.received + other.received)


class Usage(NamedTuple):
    """What was asked so far: requests, their tokens, and how many of them had to be estimated."""

    requests: int = 0
    tokens: Tokens = Tokens()
    estimated: int = 0

    def __str__(self) -> str:
        told = f"{plural(self.requests, 'request')}: {self.tokens.sent} tokens sent, {self.tokens.received} received"
        return told + (f"; estimated for {self.estimated} of them" if self.estimated else "")


class Spending:
    """Tokens spent and set aside for requests under way, from several threads, against a budget or none."""

    def __init__(self, budget: int | None = None) -> None:
        self.budget, self.usage, self.aside, self.lock = budget, Usage(), 0, Lock()
        self.told = self.foreseen = 0  # tokens of the answers that told theirs, and what was expected of these

    @property
    def left(self) -> int:
        """What of the budget is neither spent nor set aside."""
        return (self.budget or 0) - self.usage.tokens.total - self.aside

    def correct_estimate(self, expected: Tokens) -> Tokens:
        """What is expected, as much more as answers cost so far than was expected of them: a model may think aloud."""
        excess = max(1.0, self.told / self.foreseen) if self.foreseen else 1.0
        return Tokens(ceil(expected.sent * excess), ceil(expected.received * excess))

    def set_aside(self, expected: Tokens) -> bool:
        """Set the tokens of a request aside; whether the budget has them."""
        with self.lock:
            if self.budget is not None and self.left < expected.total:
                return False
            self.aside += expected.total
            return True

    def release_tokens(self, expected: Tokens) -> None:
        """Set the tokens of a request, which is done, aside no longer."""
        with self.lock:
            self.aside -= expected.total

    def spend_tokens(self, told: Tokens | None, expected: Tokens) -> bool:
        """Add up what one answer cost, as the server told it or else as expected; whether it may be asked for again."""
        with self.lock:
            if told:
                self.told, self.foreseen = self.told + told.total, self.foreseen + expected.total
            requests, tokens, estimated = self.usage
            self.usage = Usage(requests + 1, tokens.plus(told or expected), estimated + (told is None))
            return self.budget is None or self.left >= 0


def text_tokens(text: str) -> int:
    """About how many tokens a text has."""
    left, count = len(text), 0.0
    for letters, rate in RATES:
        found = len(letters.findall(text))
        left, count = left - found, count + rate * found
    return ceil(count + OTHER_RATE * left)


def translation_tokens(texts: Iterable[str], source: str, target: str) -> int:
    """About how many tokens an answer has with the translations of texts from one language to another."""
    growth = LENGTHS.get(base(target), OTHER_LENGTH) / LENGTHS.get(base(source), OTHER_LENGTH)
    return sum(ceil(text_tokens(text) * growth) + AROUND_MESSAGE for text in texts)
