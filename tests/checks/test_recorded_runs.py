"""Every attack on recorded runs, and every drift, is named."""

import pytest
from hexapla.api import check_tree
from hexapla.checks.rules import recorded_runs
from hexapla.examples.markers import MarkerError

from benchmarks.evidence.__main__ import RULES, find_answers, is_caught, list_attacks
from benchmarks.evidence.tree import lay_project

pytestmark = pytest.mark.slow


def test_sound_evidence_is_believed(tmp_path):
    lay_project(tmp_path)
    assert not check_tree(tmp_path, select=RULES, cached=False).findings


def test_outputs_that_took_too_long_to_compare_are_compared_again(tmp_path, monkeypatch):
    def give_up(*_):
        raise MarkerError("takes too long")

    lay_project(tmp_path / "kit")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with monkeypatch.context() as slow:
        slow.setattr(recorded_runs, "compare_outputs", give_up)
        assert check_tree(tmp_path / "kit", select=RULES).findings
    assert not check_tree(tmp_path / "kit", select=RULES).findings


@pytest.mark.parametrize("case", list_attacks(), ids=lambda case: case["what"])
def test_attack(case, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    answers = find_answers(tmp_path / "kit", case)
    assert is_caught(case, answers), answers
