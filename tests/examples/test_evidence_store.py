"""The files of evidence: what another run has recorded meanwhile stays, what belongs to no snippet goes."""

from hexapla.examples.evidence import Hardware, Run, Status, parse_evidence
from hexapla.examples.evidence_store import file_of, read_all, read_runs, record_run

CPU = Hardware("cpu", "Demo", 2, 1)


def run(output):
    return Run(Status.RAN, "sha256:a", "2026-01-02", 1.0, 1, {}, output)


def recorded(folder):
    return {name: run.output for name, run in parse_evidence((folder / "cpu-demo.json").read_text()).runs.items()}


def record(folder, names, *runs, hardware=CPU):
    file = file_of(folder, hardware)
    for name, output in runs:
        record_run(file, hardware, name, run(output), names)
    return file.name


def test_what_another_has_recorded_meanwhile_stays(tmp_path):
    assert read_runs(file_of(tmp_path, CPU), ()) == {}
    record(tmp_path, {"a.py", "b.py"}, ("a.py", "1"))
    record(tmp_path, {"a.py", "b.py"}, ("b.py", "2"))
    assert recorded(tmp_path) == {"a.py": "1", "b.py": "2"}
    record(tmp_path, {"a.py", "b.py"}, ("a.py", "3"))
    assert recorded(tmp_path) == {"a.py": "3", "b.py": "2"}


def test_the_runs_of_snippets_that_are_gone_go_too(tmp_path):
    record(tmp_path, {"a.py", "gone.py"}, ("a.py", "1"), ("gone.py", "2"))
    record(tmp_path, {"a.py", "b.py"}, ("b.py", "3"))
    assert recorded(tmp_path) == {"a.py": "1", "b.py": "3"}


def test_another_hardware_has_another_file(tmp_path):
    gpu = Hardware("gpu", "Demo GPU", 1, 1)
    assert record(tmp_path, {"a.py"}, ("a.py", "1")) == "cpu-demo.json"
    assert record(tmp_path, {"a.py"}, ("a.py", "2"), hardware=gpu) == "gpu-demo-gpu.json"
    assert {each.hardware: each.runs["a.py"].output for each in read_all(tmp_path)} == {CPU: "1", gpu: "2"}


def test_another_number_of_cores_has_another_file_and_changes_nothing_in_the_first(tmp_path):
    record(tmp_path, {"a.py"}, ("a.py", "1"))
    before = (tmp_path / "cpu-demo.json").read_text()
    assert record(tmp_path, {"a.py"}, ("a.py", "2"), hardware=CPU._replace(cores=4)) == "cpu-demo-x4.json"
    assert (tmp_path / "cpu-demo.json").read_text() == before
    assert {each.name: each.hardware.cores for each in read_all(tmp_path)} == {"cpu-demo": 2, "cpu-demo-x4": 4}


def test_more_memory_is_no_other_machine_and_does_not_rename_what_ran_with_less(tmp_path):
    record(tmp_path, {"a.py", "b.py"}, ("a.py", "1"))
    record(tmp_path, {"a.py", "b.py"}, ("b.py", "2"), hardware=CPU._replace(memory_bytes=2))
    assert parse_evidence((tmp_path / "cpu-demo.json").read_text()).hardware == CPU
    assert recorded(tmp_path) == {"a.py": "1", "b.py": "2"}
