"""A project of each released version is opened by this one, and what a later one wrote is one sentence.

The folders beside this file are such projects, as their version left them: they are never changed. A release adds its
own: a page that is current but for one section, a finding that the baseline accepts, a ledger, a record, evidence.
"""

import shutil
from pathlib import Path

import pytest
from hexapla.cli import main
from hexapla.files import later_schema

from tests.cases import cases
from tests.site.project import build

RELEASED = sorted(folder.name for folder in Path(__file__).parent.iterdir() if (folder / "mkdocs.yml").is_file())


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A copy of a version's project, as the current folder."""
    def open_project(version):
        root = shutil.copytree(Path(__file__).parent / version, tmp_path / version)
        monkeypatch.chdir(root)
        return root

    return open_project


def run(capsys, command):
    """The exit status of a command, and all that it said."""
    capsys.readouterr()
    status = main(command.split())
    return status, "".join(capsys.readouterr())


@pytest.mark.parametrize("version", RELEASED)
def test_a_project_of_a_released_version_is_opened(opened, capsys, version):
    root = opened(version)
    assert run(capsys, "check")[0] == 0  # by its baseline, its evidence and its ledger
    status, said = run(capsys, "status")
    assert (status, "2 current, 1 behind" in said) == (0, True), said
    assert "every page and id" in run(capsys, "addresses")[1]
    assert "1 ran, 0 failed" in run(capsys, "run")[1]
    before = (root / "translations/ja/index.txt").read_text(encoding="utf-8")
    assert run(capsys, "sync docs/ja/index.md#home --write")[0] == 0
    assert (root / "translations/ja/index.txt").read_text(encoding="utf-8").splitlines()[4:] == before.splitlines()[4:]
    found = build(root)
    assert found.status == 0, found.said


def test_a_cache_of_another_installation_is_made_anew(opened, capsys):
    root = opened(RELEASED[-1])
    assert run(capsys, "check")[0] == 0
    for name in ("cache.sqlite-wal", "cache.sqlite-shm"):
        (root / ".hexapla" / name).unlink(missing_ok=True)
    (root / ".hexapla/cache.sqlite").write_bytes(b"of another version" * 300)
    assert run(capsys, "check")[0] == 0


@pytest.mark.parametrize("case", cases("upgrades"))
def test_what_a_later_version_wrote_is_one_sentence_and_stays(opened, capsys, case):
    root = opened(RELEASED[-1])
    for path, (old, new) in case["change"].items():
        text = (root / path).read_text(encoding="utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    left = {path: (root / path).read_bytes() for path in case["change"]}
    for command, status, sentence in case["said"]:
        ended, said = run(capsys, command)
        assert (ended, sum(sentence in line for line in said.splitlines())) == (status, 1), said
    assert {path: (root / path).read_bytes() for path in left} == left


def test_a_schema_of_more_digits_than_a_number_has_is_none():
    assert (later_schema("# schema: 2", 1) != "", later_schema(f"# schema: {'2' * 5000}", 1)) == (True, "")


def test_a_site_is_built_with_records_and_a_ledger_of_a_later_version(opened):
    root = opened(RELEASED[-1])
    for path in ("translations/ja/index.txt", "addresses.txt"):
        text = (root / path).read_text(encoding="utf-8").replace("# schema: 1\n", "")
        (root / path).write_text(f"# schema: 2\n{text}", encoding="utf-8")
    found = build(root)
    assert found.status == 0, found.said
    assert "あいさつ" in found.page("ja/index.html")
