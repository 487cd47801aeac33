"""What the benchmark counts as accepted is what a reader would take for sure."""

import pytest
from hexapla.mojibake import Corpus

from benchmarks.mojibake.scoring import Score, score_repair


def replaced(text: str) -> str:
    """What is left where a program could read none of it."""
    return "".join("\ufffd" if character >= "\x80" else character for character in text)


def cp1252(text: str) -> str:
    return text.encode("utf-8").decode("cp1252", "ignore")


def test_nothing_of_a_refused_page_is_accepted(draft: str) -> None:
    score = score_repair([draft], replaced, Corpus(listed=False, shipped=None))
    assert (score.right, score.accepted, score.accepted_right) == (0, 0, 0)
    assert score.characters > 0


def test_a_page_that_was_not_noticed_is_accepted_as_it_stands() -> None:
    score = score_repair(["été\n"], lambda clean: clean.replace("é", "è"), Corpus(listed=False, shipped=None))
    assert (score.characters, score.right, score.accepted, score.accepted_right) == (2, 0, 2, 0)


def test_uncertain_characters_are_right_or_wrong_and_not_accepted(corpus: Corpus, draft: str) -> None:
    sure = score_repair([draft], cp1252, corpus)
    unsure = score_repair([draft], cp1252, Corpus(listed=False, shipped=None))
    assert sure.accuracy > 99.0
    assert unsure.accepted < sure.accepted
    assert unsure.precision == 100.0


@pytest.mark.parametrize(("score", "coverage", "precision"), [
    (Score(characters=4, right=3, accepted=2, accepted_right=1), 50.0, 50.0),
    (Score(), 0.0, 0.0),
])
def test_shares_are_of_all_characters_and_of_the_accepted_ones(score: Score, coverage: float, precision: float) -> None:
    assert (score.coverage, score.precision) == (coverage, precision)
