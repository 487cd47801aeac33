"""Evidence is read as it was written, or not at all."""

import json

import pytest
from hexapla.examples.evidence import (
    Evidence,
    EvidenceError,
    Hardware,
    Run,
    Status,
    dump_evidence,
    file_name,
    parse_evidence,
    source_hash,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases

WORDS = st.text(max_size=20)
NAMED = st.dictionaries(WORDS, WORDS, max_size=1)
RUNS = st.builds(
    Run, status=st.sampled_from(Status), source=WORDS, date=WORDS, seconds=st.floats(0, 1e6).map(lambda s: round(s, 1)),
    peak_memory_bytes=st.integers(0, 1 << 50), versions=NAMED, output=WORDS,
    reason=WORDS, runner=WORDS, device=WORDS, driver=WORDS, tests=st.lists(WORDS, max_size=3).map(tuple),
    test_seconds=st.floats(0, 1e6).map(lambda s: round(s, 1)), allocated_bytes=st.none() | st.integers(0, 1 << 50),
    distributions=NAMED, files=NAMED, lock=WORDS, runtime=NAMED, cores=st.integers(0, 512), cpu=WORDS, commit=WORDS,
    job=WORDS,
)
EVIDENCE = st.builds(
    Evidence, hardware=st.builds(Hardware, st.just("cpu"), WORDS, st.integers(1, 512), st.integers(0, 1 << 50)),
    runs=st.dictionaries(WORDS, RUNS, max_size=3), problems=st.just({}), name=st.just(""),
)
CPU = Hardware("cpu", "Demo", 2, 1 << 30)
ONE = Run(Status.RAN, "sha256:a", "2026-01-02", 1.5, 1 << 20, {"torch": "9.9"}, "3", "")


@given(EVIDENCE)
def test_what_is_written_is_read(evidence):
    assert parse_evidence(dump_evidence(evidence)) == evidence
    assert dump_evidence(parse_evidence(dump_evidence(evidence))) == dump_evidence(evidence)


@given(st.sampled_from(["status", "source", "date", "seconds", "peak_memory_bytes", "output", "tests", "driver"]))
def test_a_field_changed_by_hand_is_noticed(field):
    data = json.loads(dump_evidence(Evidence(CPU, {"demo/a.py": ONE})))
    data["runs"]["demo/a.py"][field] = "failed" if field == "status" else "other"
    with pytest.raises(EvidenceError, match=r"demo/a\.py was changed by hand"):
        parse_evidence(json.dumps(data))


@pytest.mark.parametrize("case", cases("examples/evidence"))
def test_case(case):
    if "refused" in case:
        with pytest.raises(EvidenceError) as refused:
            parse_evidence(case["text"], case.get("without", ()))
        assert case["refused"] in str(refused.value)
    else:
        assert list(parse_evidence(case["text"], case.get("without", ())).runs) == case["runs"]


@pytest.mark.parametrize("text", [
    "", "[]", "{}", '{"schema": 0}', '{"schema": 1}', '{"schema": 1, "hardware": 3, "runs": {}}',
    '{"schema": 1, "hardware": {"kind": "cpu"}, "runs": {}}',
])
def test_what_is_no_evidence_is_refused(text):
    with pytest.raises(EvidenceError):
        parse_evidence(text)


def test_line_endings_do_not_change_a_hash():
    assert source_hash(b"a\r\nb") == source_hash(b"a\nb") != source_hash(b"a b")


def test_the_file_is_named_after_the_hardware():
    xeon = Hardware("cpu", "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz", 2, 0)
    assert file_name(xeon) == "cpu-intel-xeon-gold-6230-2-10ghz.json"
