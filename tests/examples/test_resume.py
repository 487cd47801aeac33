"""A run in pieces: what has ended is recorded, whatever ends the command, and the next run goes on from there."""

import os
import signal
import subprocess
import sys
import time

import pytest
from hexapla.config.project import load_project
from hexapla.errors import ConfigError
from hexapla.examples.evidence_store import read_all
from hexapla.examples.snippet_runs import RunOptions, run_snippets

TEST = "def test_it_is():\n    assert 1 + 1 == 2\n"
SLOW = "import time\ntime.sleep(600)\nprint('slow')\n"


@pytest.fixture
def project(tmp_path):
    """Three snippets with their tests; `lay` writes one more."""
    def lay(name, source):
        for path, text in ((f"snippets/demo/{name}.py", source), (f"tests/snippets/demo/test_{name}.py", TEST)):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return tmp_path

    (tmp_path / "mkdocs.yml").write_text("site_name: X\nplugins: [hexapla]\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.hexapla.runners]\ncpu = {jobs = 1}\n")
    for name in ("a", "b", "c"):
        lay(name, f"print('{name}')\n")
    return lay


def run(root, **options):
    """What a recording run says, and whether all went well."""
    said = []
    well = run_snippets(RunOptions(record=True, **options), load_project(root), said.append)
    return "\n".join(said), well


def recorded(root):
    runs = [item for evidence in read_all(root / "snippets/evidence") for item in evidence.runs.items()]
    return {path: each.output for path, each in runs}


def test_what_is_not_over_in_time_is_left_and_what_is_over_is_recorded(project):
    root = project("slow", SLOW)
    (root / "pyproject.toml").write_text("[tool.hexapla.runners]\ncpu = {jobs = 2}\n")
    before = time.monotonic()
    said, well = run(root, within=15)
    assert time.monotonic() - before < 45
    assert not well
    assert "1 are left, as the time is over; run it again with --record --changed" in said
    assert recorded(root) == {f"demo/{name}.py": name for name in "abc"}
    project("slow", "print('fast')\n")
    said, well = run(root, resume=True)
    assert well
    assert "1 ran, 0 failed, 0 skipped by the runner cpu" in said
    assert recorded(root)["demo/slow.py"] == "fast"
    assert run(root, resume=True) == ("all of it is recorded", True)


def test_a_changed_snippet_runs_again_and_one_that_failed_runs_last(project):
    root = project("a", "raise ValueError\n")
    assert not run(root)[1]
    project("b", "print('other')\n")
    said, _ = run(root, resume=True)
    lines = [line.split()[0] + line.split()[-1] for line in said.splitlines() if ".py" in line and "MiB" in line]
    assert lines == ["randemo/b.py", "faileddemo/a.py"]


def test_what_is_killed_has_recorded_all_that_had_ended(project):
    root = project("slow", SLOW)
    command = [sys.executable, "-m", "hexapla", "run", "--record"]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, start_new_session=True, text=True)
    for line in process.stdout:
        if "demo/a.py" in line or "demo/b.py" in line:
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert recorded(root)


def test_evidence_that_was_edited_does_not_stop_a_run_that_replaces_it(project):
    root = project("a", "print('a')\n")
    run(root)
    [file] = (root / "snippets/evidence").glob("*.json")
    file.write_text(file.read_text().replace('"output": "c"', '"output": "d"'))
    assert run(root)[1]
    assert recorded(root)["demo/c.py"] == "c"


@pytest.mark.parametrize("options", [{"resume": True}, {"within": 540}])
def test_a_cluster_has_other_evidence(project, options):
    with pytest.raises(ConfigError, match="leave out --ray"):
        run(project("a", "print('a')\n"), ray="auto", **options)
