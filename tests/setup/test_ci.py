"""`hexapla ci`: what it writes lets each change be checked, and nothing that a person wrote is touched."""

import re
import subprocess

import pytest
import yaml
from hexapla import __version__
from hexapla.cli import main
from hexapla.config.discovery import TreeOptions
from hexapla.setup.ci_files import HOSTS, host_file, wanted_settings

from tests.cases import cases
from tests.site.project import write


def contents(root):
    files = [file for file in sorted(root.rglob("*")) if file.is_file() and ".hexapla/" not in file.as_posix()]
    return {file: file.read_bytes() for file in files}


@pytest.mark.parametrize("case", cases("ci"))
def test_a_tree_is_set_up_in_one_step(case, tmp_path, capsys, monkeypatch):
    root = write(tmp_path / "tree", case["files"])
    before = contents(root)
    monkeypatch.chdir(root)
    main(["ci", "--root", ".", *case["options"]])
    assert contents(root) == before  # nothing is written without --write
    capsys.readouterr()
    status = main(["ci", "--root", ".", *case["options"], "--write"])
    said = capsys.readouterr()
    if "refused" in case:
        assert (status, said.err) == (2, f"hexapla: {case['refused']}\n")
    else:
        assert status == case.get("status", 0)
        assert set(case["says"]) <= set(said.out.splitlines()), said.out
        assert main(["check", "--root", "."]) == 0  # as the workflow calls it
    made = contents(root)
    assert {path: made.get(root / path, b"").decode() for path in case.get("written", {})} == case.get("written", {})
    assert not [path for path in case.get("absent", ()) if (root / path).exists()]
    main(["ci", "--root", ".", *case["options"], "--write"])
    assert contents(root) == made  # a second run changes nothing
    if "later" in case:
        write(root, case["later"])
        assert main(["check", "--root", "."]) == 1


@pytest.mark.parametrize("name", HOSTS)
def test_a_tree_in_a_folder_of_its_repository_is_named_to_the_host(name, tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert "--root=site/docs" in host_file(tmp_path, name, "site/docs").text
    plain = host_file(tmp_path, name, "").text
    assert "root" not in plain and "args" not in plain and "FOLDER" not in plain
    assert __version__ in plain and yaml.safe_load(plain)


def test_the_workflow_is_pinned_and_may_only_read(tmp_path):
    workflow = yaml.safe_load(host_file(tmp_path, "github", "").text)
    assert workflow["permissions"] == {"contents": "read"}
    steps = workflow["jobs"]["check"]["steps"]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]) for step in steps if "uses" in step)
    assert any(f"hexapla=={__version__}" in step.get("run", "") for step in steps)


def test_the_source_s_repository_is_no_setting_that_is_written():
    assert wanted_settings(TreeOptions(layout="{page}.md", source_repo="../source"), {}) == {"layout": "{page}.md"}
