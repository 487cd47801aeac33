"""A model asked whether a translation says what its source says: strict JSON both ways, a page's text is data."""

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import groupby
from typing import Any, NamedTuple

from hexapla.drafts.endpoint import Endpoint
from hexapla.drafts.placeholders import UntrustedAnswer
from hexapla.drafts.prompt import read_answers
from hexapla.drafts.token_counts import Tokens, text_tokens
from hexapla.translation.verdicts import SOUND, Doubt, Verdict, name_of

QUESTION = 1     # the version of what is asked: another question, as another model, is asked anew
TOGETHER = 8     # texts of a page in one request
ANSWER = 40      # tokens of an answer about one text
LONGEST = 8_000  # characters of a text that is sent
DECISIONS = (SOUND, "missing", "added", "reversed", "number", "unit", "comparison", "condition", "concept")
SYSTEM = files(__package__).joinpath("compare.txt").read_text("utf-8")


class MeaningAnswer(NamedTuple):
    """What the model decided about one text, or why its answer is of no use."""

    doubt: Doubt
    verdict: Verdict | None
    failure: str = ""


class MeaningJudge:
    """Asks a model behind an endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.name = name_of(f"{endpoint.model}, question {QUESTION}")

    def build_chat(self, doubts: Sequence[Doubt]) -> list[dict[str, str]]:
        """The two messages of a request: what is asked, and the texts as JSON."""
        pairs = {str(number): {"source": doubt.source[:LONGEST], "translation": doubt.target[:LONGEST]}
                 for number, doubt in enumerate(doubts, 1)}
        system = SYSTEM.format(
            source=self.endpoint.source, target=self.endpoint.target, decisions=", ".join(DECISIONS))
        return [{"role": "system", "content": system},
                {"role": "user", "content": json.dumps(pairs, ensure_ascii=False, indent=1)}]

    def estimate_tokens(self, doubts: Sequence[Doubt]) -> Tokens:
        """About how many tokens the requests about texts take."""
        asked = (each["content"] for batch in make_batches(doubts) for each in self.build_chat(batch))
        return Tokens(sum(map(text_tokens, asked)), ANSWER * len(doubts))

    def decide_doubts(self, doubts: Sequence[Doubt]) -> Iterator[Sequence[MeaningAnswer]]:
        """What the model decides, a request at a time, each about one page. Raises ConfigError."""
        for batch in make_batches(doubts):
            try:
                text = self.endpoint.ask_for_text(self.build_chat(batch), self.estimate_tokens(batch))
                found = read_decisions(text, batch, self.name)
            except UntrustedAnswer as error:
                found = [MeaningAnswer(doubt, None, str(error)) for doubt in batch]
            yield found


def make_batches(doubts: Sequence[Doubt]) -> Iterator[Sequence[Doubt]]:
    """What is asked at a time: texts of one page."""
    for _, group in groupby(doubts, lambda doubt: (doubt.language, doubt.page)):
        page = list(group)
        yield from (page[start : start + TOGETHER] for start in range(0, len(page), TOGETHER))


def read_decisions(text: str, doubts: Sequence[Doubt], name: str) -> list[MeaningAnswer]:
    """The decisions in an answer. Raises UntrustedAnswer for one that is not the JSON that was asked for."""
    return [read_decision(given, doubt, name)
            for given, doubt in zip(read_answers(text, len(doubts)), doubts, strict=True)]


def read_decision(given: Any, doubt: Doubt, name: str) -> MeaningAnswer:
    """One decision; an error has to be in words that stand in one of the texts."""
    fields = [given.get(field, "") for field in ("decision", "quote", "reason")] if isinstance(given, dict) else []
    if len(fields) != 3 or not all(isinstance(field, str) for field in fields) or fields[0] not in DECISIONS:
        return MeaningAnswer(doubt, None, f"the model's decision is none of {', '.join(DECISIONS)}")
    decision, quote, reason = fields
    if decision == SOUND:
        if quote or reason:
            return MeaningAnswer(doubt, None, "the model contradicts itself: it calls sound what it names an error of")
        return MeaningAnswer(doubt, Verdict(SOUND, name))
    if not quote.strip() or (quote not in doubt.source and quote not in doubt.target):
        return MeaningAnswer(doubt, None, "the model names an error in words that stand in neither text")
    return MeaningAnswer(doubt, Verdict(decision, name, f'"{quote}": {reason}'))
