"""Where a command is started and what becomes of its output: pipes, full disks, encodings, Ctrl+C, links."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hexapla.cli import main
from hexapla.files import write_file

from tests.hang_limit import HANG
from tests.site.project import lay

# By command: one that says little, one that says what pages say, and help, which argparse prints.
TALKERS = (["check"], ["status"], ["diff", "index"], ["check", "--help"], ["--help"])


def started(root, arguments, output, **variables):
    """A command in a process of its own, its output buffered as Python does it; how it ended and what it complained."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ended = subprocess.run(
        [sys.executable, "-m", "hexapla", *arguments], cwd=root, env=kept | variables, stdout=output,
        stderr=subprocess.PIPE, timeout=HANG, check=False,
    )
    return ended, ended.stderr.decode()


def said(capsys, *arguments):
    """The exit status and what went to standard error."""
    status = main([*map(str, arguments)])
    return status, capsys.readouterr().err


@pytest.mark.parametrize("arguments", TALKERS, ids=" ".join)
def test_a_reader_that_has_seen_enough_hears_no_complaint(tmp_path, arguments):
    theirs, ours = os.pipe()
    os.close(theirs)
    ended, complaint = started(lay(tmp_path, {}), arguments, ours)
    os.close(ours)
    assert (ended.returncode, complaint) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_a_full_disk_is_said(tmp_path):
    with Path("/dev/full").open("w") as full:
        ended, complaint = started(lay(tmp_path, {}), ["status"], full)
    assert ended.returncode == 2
    assert complaint == "hexapla: what this prints: No space left on device; put that right and run it again\n"


@pytest.mark.parametrize("variables", [
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "cp1252"},
], ids=["ASCII", "cp1252"])
def test_pages_are_printed_whatever_the_locale(tmp_path, variables):
    ended, complaint = started(lay(tmp_path, {}), ["diff", "index"], subprocess.PIPE, **variables)
    assert (ended.returncode, complaint) == (0, "")
    assert "# 首页 {#home}" in ended.stdout.decode()


def test_ctrl_c_while_options_are_looked_up_is_no_traceback(capsys, monkeypatch):
    def interrupted(command):
        raise KeyboardInterrupt

    monkeypatch.setattr("hexapla.cli.make_parser", interrupted)
    assert said(capsys, "check") == (130, "hexapla: interrupted; nothing that was not finished has been written\n")


def test_a_defect_of_ours_is_no_finding(monkeypatch, capsys):
    def failing(command):
        raise KeyError("a name that is gone")

    monkeypatch.setattr("hexapla.cli.make_parser", failing)
    status, told = said(capsys, "check")
    assert status == 3
    assert "a name that is gone" in told
    assert told.endswith("this is a defect of hexapla, not of your files (KeyError); report it with the lines above\n")


# By what is asked: what stands in the way of writing, and the file that is named.
BLOCKED = {
    "sync index --write": ("translations", "translations/zh"),
    "export --format po --output out": ("out", "out/zh/index.po"),
    "check --write-baseline taken/accepted.json": ("taken", "taken/accepted.json"),
    "run --record": ("snippets/evidence", "snippets/evidence"),
}


@pytest.mark.parametrize("command", BLOCKED)
def test_what_cannot_be_written_is_named(capsys, tmp_path, monkeypatch, command):
    blocked, named = BLOCKED[command]
    root = lay(tmp_path, {blocked: "a file where a folder is needed\n"})
    monkeypatch.chdir(root)
    status, complaint = said(capsys, *command.split())
    assert status == 2
    assert complaint.count("\n") == 1
    assert named in complaint


def test_a_write_that_fails_names_the_file_that_was_meant_and_leaves_no_other(tmp_path):
    (tmp_path / "page.md").mkdir()
    with pytest.raises(OSError, match="directory") as caught:
        write_file(tmp_path / "page.md", b"text")
    assert caught.value.filename == str(tmp_path / "page.md")
    assert [file.name for file in tmp_path.iterdir()] == ["page.md"]


@pytest.mark.parametrize(("options", "says"), [
    ("check --languages zh,jp", "--languages names jp, which mkdocs.yml does not; correct it"),
    ("status --languages jp", "--languages names jp, which mkdocs.yml does not; correct it"),
    ("check --source zh", "--source 'zh': mkdocs.yml says that the source is 'en'; leave it out"),
])
def test_what_the_configuration_contradicts_is_refused(capsys, tmp_path, options, says):
    assert said(capsys, *options.split(), "--root", lay(tmp_path, {})) == (2, f"hexapla: {says}\n")


@pytest.mark.parametrize(("options", "says"), [
    ("run --jobs -1", "argument --jobs: '-1' is not 1 or more"),
    ("run --jobs two", "argument --jobs: 'two' is not 1 or more"),
    ("run --timeout 0", "argument --timeout: '0' is no duration; give seconds, more than 0"),
    ("run --timeout soon", "argument --timeout: 'soon' is no duration; give seconds, more than 0"),
    ("translate --port 70000", "argument --port: '70000' is no port; give a number up to 65535"),
])
def test_a_number_that_means_nothing_is_refused(capsys, tmp_path, options, says):
    with pytest.raises(SystemExit, match="2"):
        main([*options.split(), "--root", str(lay(tmp_path, {}))])
    assert capsys.readouterr().err.endswith(f"error: {says}\n")


def test_pages_behind_a_link_are_checked_by_either_path(capsys, tmp_path, monkeypatch):
    root = lay(tmp_path / "real", {"docs/zh/index.md": "# 首页 {#home}\n\n[去](nowhere.md)\n"})
    (tmp_path / "whole").symlink_to(root)
    for folder, page in (("real", "docs/zh/index.md"), ("real", "docs/zh"), ("real", tmp_path / "whole/docs/zh")):
        monkeypatch.chdir(tmp_path / folder)
        assert main(["check", str(page)]) == 1
        assert "link-target-missing" in capsys.readouterr().out


def test_a_check_of_no_page_says_so(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(lay(tmp_path, {"notes/todo.txt": "one\n"}))
    assert main(["check", "notes"]) == 0
    assert capsys.readouterr().out == "no page was looked at\n"
