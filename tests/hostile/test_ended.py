"""A command that a signal ends leaves no process behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.hang_limit import HANG
from tests.site.project import lay

PAGES = {f"docs/en/p{number}.md": f"# P {{#p{number}}}\n\n" + "Some words. " * 4000 + "\n" for number in range(60)}
COMMANDS = {"check": ["-m", "hexapla", "check"], "build": ["-m", "mkdocs", "build"],
            "serve": ["-m", "mkdocs", "serve", "-a", "127.0.0.1:0"]}
pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc")


def alive(mark):
    """The processes that have a mark in their environment, zombies left out."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and mark in (entry / "environ").read_bytes():
                found.add(int(entry.name))
        except OSError:
            continue
    return found


def heed_hangup():
    """Take back that a process of `nohup`, as that of the tests may be, ignores SIGHUP."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def wait_for(condition, seconds):
    """Whether something became true; what was true once counts, as a process that has done its work ends by itself."""
    until = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < until:
        time.sleep(0.1)
    return met


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_process_is_left(command, name, tmp_path):
    root = lay(tmp_path, PAGES)
    mark = f"HEXAPLA_TEST_MARK={tmp_path.name}-{os.getpid()}"
    key, _, value = mark.partition("=")
    started = subprocess.Popen([sys.executable, *COMMANDS[command]], cwd=root, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=os.environ | {key: value}, preexec_fn=heed_hangup)
    try:
        assert wait_for(lambda: len(alive(mark.encode())) > 2, 60), "it has started no process"
        started.send_signal(getattr(signal, name))
        started.wait(timeout=HANG)
        assert wait_for(lambda: not alive(mark.encode()), 60), "processes are left"
    finally:
        for number in alive(mark.encode()):
            os.kill(number, signal.SIGKILL)
