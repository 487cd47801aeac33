"""What can be known of Windows elsewhere: its missing modules, its paths, its consoles."""

import os
import subprocess
import sys

import pytest
from hexapla.cli import main

from tests.hang_limit import HANG
from tests.house.missing_modules import MISSING
from tests.site.project import lay

# A Python without what Windows has not; what Python itself imports is there by then.
MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "pty", "tty", "syslog"}
NAMES = ("fork", "getuid", "geteuid", "getegid", "sched_getaffinity", "setsid", "killpg", "getpgid", "fchmod", "chown",
         "getpriority", "sched_getscheduler")
WINDOWS = f"""
import multiprocessing.pool, os, shutil, signal, subprocess, sys, tempfile, pathlib
{MISSING.format(names=MODULES)}
for name in {MODULES!r} & sys.modules.keys():
    del sys.modules[name]
for name in {NAMES!r}:
    vars(os).pop(name, None)
from hexapla.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
COMMANDS = {
    "check": 0, "status": 0, "diff index": 0, "addresses": 0, "ci": 0, "init": 0, "sync index": 0, "runners": 0,
    "export --format po --output out": 0, "repair docs": 0, "pull-request --since HEAD": 2, "add-language ko": 0,
    "completion bash": 0, "run --plan": 0, "new snippet a/b": 0, "convert docs/en converted": 2,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_needs_no_module_that_windows_lacks(tmp_path, command):
    ended = subprocess.run([sys.executable, "-c", WINDOWS, *command.split()], cwd=lay(tmp_path, {}), timeout=HANG,
                           capture_output=True, text=True, check=False)
    assert "Traceback" not in ended.stderr, ended.stderr
    assert (ended.returncode, "defect" in ended.stderr) == (COMMANDS[command], False), ended.stdout + ended.stderr


def test_snippets_do_not_run_there_and_it_says_so(tmp_path):
    ended = subprocess.run([sys.executable, "-c", WINDOWS, "run"], cwd=lay(tmp_path, {}), timeout=HANG,
                           capture_output=True, text=True, check=False)
    said = "hexapla: snippets do not run on Windows; run this in its Linux, WSL\n"
    assert (ended.returncode, ended.stderr) == (2, said)


def test_a_program_of_the_tree_is_not_run_there(monkeypatch, capsys):
    name = "NoDefaultCurrentDirectoryInExePath"  # as CreateProcess asks
    monkeypatch.setenv(name, "")
    monkeypatch.delenv(name)
    main(["completion", "bash"])
    assert os.environ[name] == "1"


@pytest.mark.parametrize("encoding", ["cp932", "cp936", "cp1252"])
@pytest.mark.parametrize("command", ["check", "status", "diff index", "--help"])
def test_a_console_of_that_code_page_shows_what_it_can(tmp_path, command, encoding):
    pages = {"docs/zh/index.md": "# 首页 {#home}\n\ncafé “x” 𠮷 [去](没有.md)\n"}
    variables = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    code = "import sys; sys.stdout.isatty = lambda: True; from hexapla.cli import main; sys.exit(main(sys.argv[1:]))"
    ended = subprocess.run([sys.executable, "-c", code, *command.split()], cwd=lay(tmp_path, pages), env=variables,
                           capture_output=True, timeout=HANG, check=False)
    assert b"Traceback" not in ended.stderr and ended.returncode < 2, ended.stderr.decode(encoding, "replace")
    ended.stdout.decode(encoding)  # nothing that it could not show
