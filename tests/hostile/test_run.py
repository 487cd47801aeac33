"""`hexapla run` in a tree that nobody trusts: no code of the tree runs outside of the sandbox."""

import os
import subprocess
import sys
import time
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

import hexapla
import pytest
import yaml
from hexapla.examples import environments, sandbox

from tests.hang_limit import HANG

CASES, ROWS = (
    yaml.safe_load((Path(__file__).parents[1] / f"cases/hostile/{name}.yml").read_text(encoding="utf-8"))
    for name in ("trees", "rows")
)
PROJECT = {
    "mkdocs.yml": "site_name: X\nplugins: [hexapla]\n",
    "docs/en/index.md": "# Home {#home}\n", "snippets/demo/case.py": "print(1)\n",
    "tests/snippets/demo/test_case.py": "def test_one():\n    pass\n",
}


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


def lay(root, case, outside):
    """The tree of a case."""
    evil = f"import pathlib\npathlib.Path({str(outside / 'ran')!r}).touch()\n"
    for name in case.get("links", []):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(outside)
    for name, text in (PROJECT | case.get("files", {})).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text.replace("EVIL", evil), encoding="utf-8")
    if case.get("shipped"):
        made = environments.folder_of(root / f"snippets/environments/{case['shipped']}.txt")
        python = root / ".hexapla/environments" / made.name / "bin/python"
        python.parent.mkdir(parents=True)
        python.write_text(f"#!/bin/sh\ntouch {outside / 'ran'}\n", encoding="utf-8")
        python.chmod(0o755)
        (python.parents[1] / environments.COMPLETE).touch()


@pytest.mark.skipif(not any(sandbox.find_confinement()), reason="needs Landlock or user namespaces")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_no_code_of_a_tree_runs_outside_of_the_sandbox(case, outside, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "project"
    lay(root, case, outside)
    # Installed, the command finds itself without the working folder, as it does by -P here.
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "hexapla", "run", "--runner", case.get("runner", "cpu")], cwd=root,
        env=os.environ | {"PYTHONPATH": str(Path(hexapla.__file__).parents[1])}, capture_output=True, text=True,
        check=False, timeout=HANG,
    )
    assert not [*outside.iterdir()], ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    assert case.get("says", "snippets" if ran.returncode == 2 else " by the runner ") in ran.stdout + ran.stderr


def test_a_plan_runs_nothing_and_says_what_is_held(tmp_path, outside):
    lay(tmp_path / "project", {"files": {
        "snippets/demo/case.py": "EVIL", "snippets/demo/asks.py": "EVIL",
        "tests/snippets/demo/test_asks.py": "import pytest\npytestmark = pytest.mark.needs(network=True)\n",
    }}, outside)
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "hexapla", "run", "--plan"], cwd=tmp_path / "project", capture_output=True,
        text=True, check=False, env=os.environ | {"PYTHONPATH": str(Path(hexapla.__file__).parents[1])},
    )
    assert not [*outside.iterdir()]
    assert "cpu: 2 on " in ran.stdout and "  demo/case.py\n" in ran.stdout
    assert "  demo/asks.py, needs the network\n" in ran.stdout
    for name in ("writes", "modes", "signals", "sees", "network", "shared", "reads", "told"):
        assert f"\n{name} " in ran.stdout
    assert ("NOT HELD HERE" in ran.stdout) is not sandbox.find_confinement().namespaces


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """What `hexapla run --jobs 2` says of each snippet of one project: its line and the one below it."""
    root = tmp_path_factory.mktemp("rows")
    files = {"mkdocs.yml": PROJECT["mkdocs.yml"], "docs/en/index.md": PROJECT["docs/en/index.md"]}
    for case in ROWS:
        mark = f"pytestmark = {case['marks']}\n" if "marks" in case else ""
        files[f"snippets/demo/{case['name']}.py"] = case["source"]
        files[f"tests/snippets/demo/test_{case['name']}.py"] = f"import pytest\n{mark}def test_one():\n    pass\n"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    environment = os.environ | {
        "PYTHONPATH": str(Path(hexapla.__file__).parents[1]), "DEPLOY_TOKEN": "s3cret",
        "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")),
    }
    before = time.time()
    command = [sys.executable, "-P", "-m", "hexapla", "run", "--jobs", "2"]
    ran = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=HANG)
    assert "s3cret" not in ran.stdout + ran.stderr and "Traceback" not in ran.stderr, ran.stderr
    assert time.time() >= before
    lines = [*ran.stdout.splitlines(), ""]
    return {line.split("demo/")[1]: (line.split()[0], below) for line, below in pairwise(lines) if "demo/" in line}


@pytest.mark.skipif(not sandbox.find_confinement().namespaces, reason="needs user namespaces")
@pytest.mark.parametrize("case", ROWS, ids=lambda case: case["name"])
def test_what_a_snippet_does_is_one_sentence_and_the_other_rows_stand(case, rows):
    status, below = rows[f"{case['name']}.py"]
    if "reason" not in case:
        assert status == "ran"
    else:
        assert status == ("skipped" if "marks" in case else "failed")
        assert fnmatchcase(below.strip(), case["reason"]), below
