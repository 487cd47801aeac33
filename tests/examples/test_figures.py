"""Figures out of evidence: what a reference shows, and why one shows nothing."""

import pytest
from hexapla.examples.evidence import Evidence, Hardware, Run, Status
from hexapla.examples.figures import FigureError, RecordedFigures, figure_text
from hexapla.examples.snippet import Snippets
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases


def evidence(output, name="Test CPU", status=Status.RAN, reason=""):
    run = Run(status, "sha256:0", "2026-01-02", 0.1, 350_000_000, {}, output, reason)
    return Evidence(Hardware("cpu", name, 2, 1), {"demo/run.py": run})


@pytest.mark.parametrize(("case", "line"), [
    pytest.param(*each.values, line, id=line) for each in cases("examples/figures") for line in each.values[0]["shown"]
])
def test_case(case, line):
    recorded = [evidence(case["output"])]
    expression, refused, reason = line.partition(" ! ")
    if refused:
        with pytest.raises(FigureError) as raised:
            figure_text(f"{{evidence}} {expression}", recorded, "en")
        assert reason in str(raised.value)
        return
    expression, _, texts = line.partition(" -> ")
    shown = texts.split(" | ")
    for language, text in zip(("en", "zh", "de"), shown, strict=False):
        assert figure_text(f"{{evidence}} {expression}", recorded, language) == text


def test_traditional_chinese_and_a_language_that_nobody_knows():
    recorded = [evidence("tokens: 57,000")]
    for language, text in (("zh-Hant", "5.7萬"), ("ja", "5.7万"), ("zh_CN", "5.7万"), ("xx", "57 thousand")):
        assert figure_text("{evidence} demo/run > tokens as 0 thousand", recorded, language) == text


def test_machines_that_differ_have_to_be_named():
    recorded = [evidence("fp32: 120 tokens"), evidence("fp32: 95 tokens", "Other CPU")]
    with pytest.raises(FigureError, match="machines differ: 95 by cpu-other, 120 by cpu-test; name one"):
        figure_text("{evidence} demo/run > fp32", recorded, "en")
    assert figure_text("{evidence cpu-other} demo/run > fp32", recorded, "en") == "95"
    assert figure_text("{evidence} demo/run > fp32 as 0.0 thousand", recorded, "en") == "100"  # both, as it is written
    with pytest.raises(FigureError, match="there is no evidence of 'gpu'"):
        figure_text("{evidence gpu} demo/run > fp32", recorded, "en")


def test_a_run_that_failed_shows_nothing_and_says_why():
    failed = evidence("", status=Status.SKIPPED, reason="no GPU")
    with pytest.raises(FigureError, match="demo/run did not run on Test CPU: no GPU"):
        figure_text("{evidence} demo/run > fp32", [failed], "en")
    assert figure_text("{evidence} demo/run > fp32", [failed, evidence("fp32: 1", "Other CPU")], "en") == "1"


def test_nothing_is_recorded_or_named():
    with pytest.raises(FigureError, match="there is no evidence yet"):
        figure_text("{evidence} demo/run > fp32", [], "en")
    with pytest.raises(FigureError, match="names no figure; write it as"):
        figure_text("{evidence}", [], "en")


def test_a_number_without_end_is_refused():
    with pytest.raises(FigureError, match="too many digits"):
        figure_text("{evidence} demo/run > n as 0", [evidence("n: 1e999")], "en")


def test_evidence_of_folders_is_read_once_and_a_mistake_is_remembered(tmp_path):
    figures = RecordedFigures(lambda: [Snippets(tmp_path)])
    for _ in range(2):
        with pytest.raises(FigureError, match="no evidence yet"):
            figures.text("{evidence} demo/run > fp32", "en")


@given(st.text(alphabet="{evidnc} >/-+*0.as'1GB%\n,:", max_size=60), st.text(alphabet="fp32 :,.1e+-%GB\n", max_size=60))
def test_any_reference_shows_a_text_or_raises_its_own_error(reference, output):
    try:
        assert figure_text(f"{{evidence}} {reference}", [evidence(output)], "ja")
    except FigureError as error:
        assert str(error)
