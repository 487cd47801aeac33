"""The files of evidence: what another run has recorded meanwhile stays, what belongs to no snippet goes."""

from hexapla.examples.evidence import Hardware, Run, Status, parse
from hexapla.examples.evidence_store import Archive

CPU = Hardware("cpu", "Demo", 2, 1)


def run(output):
    return Run(Status.RAN, "sha256:a", "2026-01-02", 1.0, 1, {}, output)


def recorded(folder):
    return {name: run.output for name, run in parse((folder / "cpu-demo.json").read_text()).runs.items()}


def record(folder, names, *runs):
    archive = Archive(folder)
    archive.known(CPU)
    for name, output in runs:
        archive.add(CPU, name, run(output))
    list(archive.write(names))


def test_two_that_record_at_the_same_time_lose_nothing(tmp_path):
    names = {"a.py", "b.py"}
    first, second = Archive(tmp_path), Archive(tmp_path)
    for archive, name in ((first, "a.py"), (second, "b.py")):
        archive.known(CPU)
        archive.add(CPU, name, run(name))
    list(first.write(names))
    list(second.write(names))
    assert recorded(tmp_path) == {"a.py": "a.py", "b.py": "b.py"}


def test_the_runs_of_snippets_that_are_gone_go_too(tmp_path):
    record(tmp_path, {"a.py", "gone.py"}, ("a.py", "1"), ("gone.py", "2"))
    record(tmp_path, {"a.py", "b.py"}, ("b.py", "3"))
    assert recorded(tmp_path) == {"a.py": "1", "b.py": "3"}


def test_another_hardware_has_another_file(tmp_path):
    archive = Archive(tmp_path)
    archive.add(CPU, "a.py", run("1"))
    archive.add(Hardware("gpu", "Demo GPU", 1, 1), "a.py", run("2"))
    assert [file.name for file in archive.write({"a.py"})] == ["cpu-demo.json", "gpu-demo-gpu.json"]
