"""The files of evidence: what another run has recorded meanwhile stays, what belongs to no snippet goes."""

from hexapla.examples.evidence import Hardware, Run, Status, parse_evidence
from hexapla.examples.evidence_store import EvidenceStore, read_all

CPU = Hardware("cpu", "Demo", 2, 1)


def run(output):
    return Run(Status.RAN, "sha256:a", "2026-01-02", 1.0, 1, {}, output)


def recorded(folder):
    return {name: run.output for name, run in parse_evidence((folder / "cpu-demo.json").read_text()).runs.items()}


def record(folder, names, *runs):
    store = EvidenceStore(folder)
    store.runs_on(CPU)
    for name, output in runs:
        store.add(CPU, name, run(output))
    list(store.write(names))


def test_two_that_record_at_the_same_time_lose_nothing(tmp_path):
    names = {"a.py", "b.py"}
    first, second = EvidenceStore(tmp_path), EvidenceStore(tmp_path)
    for store, name in ((first, "a.py"), (second, "b.py")):
        store.runs_on(CPU)
        store.add(CPU, name, run(name))
    list(first.write(names))
    list(second.write(names))
    assert recorded(tmp_path) == {"a.py": "a.py", "b.py": "b.py"}


def test_the_runs_of_snippets_that_are_gone_go_too(tmp_path):
    record(tmp_path, {"a.py", "gone.py"}, ("a.py", "1"), ("gone.py", "2"))
    record(tmp_path, {"a.py", "b.py"}, ("b.py", "3"))
    assert recorded(tmp_path) == {"a.py": "1", "b.py": "3"}


def test_another_hardware_has_another_file(tmp_path):
    store = EvidenceStore(tmp_path)
    store.add(CPU, "a.py", run("1"))
    store.add(Hardware("gpu", "Demo GPU", 1, 1), "a.py", run("2"))
    assert [file.name for file in store.write({"a.py"})] == ["cpu-demo.json", "gpu-demo-gpu.json"]


def test_another_number_of_cores_has_another_file_and_changes_nothing_in_the_first(tmp_path):
    record(tmp_path, {"a.py"}, ("a.py", "1"))
    before = (tmp_path / "cpu-demo.json").read_text()
    store = EvidenceStore(tmp_path)
    store.add(CPU._replace(cores=4), "a.py", run("2"))
    assert [file.name for file in store.write({"a.py"})] == ["cpu-demo-x4.json"]
    assert (tmp_path / "cpu-demo.json").read_text() == before
    assert {each.name: each.hardware.cores for each in read_all(tmp_path)} == {"cpu-demo": 2, "cpu-demo-x4": 4}


def test_more_memory_is_no_other_machine_and_does_not_rename_what_ran_with_less(tmp_path):
    record(tmp_path, {"a.py", "b.py"}, ("a.py", "1"))
    store = EvidenceStore(tmp_path)
    store.add(CPU._replace(memory_bytes=2), "b.py", run("2"))
    list(store.write({"a.py", "b.py"}))
    assert parse_evidence((tmp_path / "cpu-demo.json").read_text()).hardware == CPU
    assert recorded(tmp_path) == {"a.py": "1", "b.py": "2"}
