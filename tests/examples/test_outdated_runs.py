"""A recorded run stands as long as everything that it is a function of is as it was."""

from dataclasses import replace

import pytest
from hexapla.examples.evidence import Run, RunState, Status
from hexapla.examples.outdated_runs import CurrentTree
from hexapla.examples.provenance import hash_files, lock_hash, read_pins
from hexapla.examples.snippet import Snippets

from tests.cases import cases

FILES = {
    "snippets/demo/a.py": "import torch\nfrom _helper import two\nprint(two)\n",
    "snippets/demo/_helper.py": "two = 2\n",
    "snippets/demo/a_data.json": "[1]\n",
    "snippets/demo/other.py": "print(1)\n",
    "src/library.py": "three = 3\n",
    "tests/snippets/demo/test_a.py": "def test_it():\n    assert True\n",
    "constraints.txt": "torch==2.13.0   # the newest\nmkdocs==1.6.1\n",
}
USED = [path for path in FILES if "other" not in path and path != "constraints.txt"]


def lay(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


@pytest.mark.parametrize("case", cases("examples/changes"))
def test_case(case, tmp_path):
    lay(tmp_path, FILES)
    snippets, pins = Snippets(tmp_path / "snippets"), read_pins(tmp_path, tmp_path / "snippets", "core")
    versions = {"python": "3.11.7", "torch": case.get("torch", "2.13.0+cpu")}
    run = Run(
        Status(case.get("status", "ran")), case.get("source", snippets.hash("demo/a.py")), "2026-01-02", 1.0, 1,
        versions, case.get("output", "2"),
        files=hash_files(tmp_path, USED) if case.get("recorded", True) else {},
        lock=lock_hash(pins, versions, {}) if case.get("recorded", True) else "",
    )
    lay(tmp_path, case["edits"])
    for path in case.get("removed", ()):
        (tmp_path / path).unlink()
    tree = CurrentTree(tmp_path, Snippets(tmp_path / "snippets"))
    assert tree.change_since("demo/a.py", run) == case["change"]
    assert tree.state("demo/a.py", run) is RunState(case["state"])
    assert replace(tree).state("demo/a.py", None) is RunState.NOT_RUN
