"""A snippet is run in a process of its own, and its end is told as it was."""

import time
from pathlib import Path

import pytest
from hexapla.examples.evidence import Status
from hexapla.examples.run import run
from hexapla.examples.snippets import Snippets

from tests.cases import cases


@pytest.mark.parametrize("case", cases("examples/runs"))
def test_case(case, tmp_path):
    file = tmp_path / "demo" / "case.py"
    file.parent.mkdir()
    file.write_text(case["source"], encoding="utf-8")
    started = time.monotonic()
    ended = run(Snippets(tmp_path), "demo/case.py", "cpu", case.get("timeout", 60))
    assert (ended.status, ended.output, ended.reason) == (Status(case["status"]), case["output"], case["reason"])
    assert ended.seconds <= time.monotonic() - started + 0.1
    assert ended.peak_memory_bytes > 1 << 20
    assert ended.source == Snippets(tmp_path).hash("demo/case.py")
    assert [path.name for path in file.parent.iterdir()] == ["case.py"]


def test_at_the_limit_the_children_of_a_snippet_end_too(tmp_path):
    told = tmp_path / "pid"
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo/parent.py").write_text(
        "import pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(told)!r}).write_text(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    assert run(Snippets(tmp_path), "demo/parent.py", "cpu", 5).status is Status.FAILED
    child = Path(f"/proc/{told.read_text()}/stat")
    for _ in range(100):  # it has been ended; the system takes it off the list a little later
        if not child.exists() or child.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the child of a snippet that was ended is still running")


def test_the_hash_sees_the_helpers_that_a_snippet_imports(tmp_path):
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "main.py").write_text("from _shared import one\nimport other\n")
    (folder / "_shared.py").write_text("from _deeper import one\n")
    (folder / "_deeper.py").write_text("one = 1\n")
    (folder / "bystander.py").write_text("one = 1\n")
    before = Snippets(tmp_path).hash("demo/main.py")
    (folder / "bystander.py").write_text("one = 2\n")
    assert Snippets(tmp_path).hash("demo/main.py") == before
    (folder / "_deeper.py").write_text("one = 2\n")
    assert Snippets(tmp_path).hash("demo/main.py") != before


def test_helpers_are_no_snippets(tmp_path):
    (tmp_path / "demo").mkdir()
    for name in ("b.py", "a.py", "_tiny.py", "zero.json"):
        (tmp_path / "demo" / name).touch()
    assert list(Snippets(tmp_path).names()) == ["demo/a.py", "demo/b.py"]
