"""A snippet that nobody trusts changes nothing outside, ends nobody, is told no secret, and the next one runs."""

import os
import signal
import socket
import subprocess
import threading
from pathlib import Path

import hexapla
import pytest
import yaml
from hexapla.examples import sandbox
from hexapla.examples.client import Limits
from hexapla.examples.local_pool import start_worker
from hexapla.examples.runners import Runner

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/hostile/snippets.yml").read_text(encoding="utf-8"))
LONG = f"600.{os.getpid()}"  # seconds that a snippet's process sleeps, by which no other run of the tests is meant
PACKAGES = str(Path(hexapla.__file__).parents[1])
HELD = sandbox.find_confinement()
NEEDS = {
    "": (True, ""),
    "confinement": (HELD.landlock >= sandbox.WRITES or HELD.namespaces, "needs Landlock of 6.2, or user namespaces"),
    "scopes": (HELD.landlock >= sandbox.SCOPES or HELD.namespaces, "needs Landlock of Linux 6.12, or user namespaces"),
    "namespaces": (HELD.namespaces, "needs user namespaces"),
}
SECRETS = {
    "HEXAPLA_API_KEY": "secret", "GITHUB_TOKEN": "secret", "AWS_PROFILE": "secret", "https_proxy": "http://secret",
    "SSH_AUTH_SOCK": "/secret", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/secret",
}
IMPORTS = """\
import contextlib, ctypes, fcntl, mmap, os, pwd, resource, signal, socket, stat, struct, subprocess, sys, tempfile, time
from pathlib import Path
"""


class Ground:
    """A project, what is outside of it, a process and listeners; and a worker that runs snippets of the project."""

    def __init__(self, root):
        self.root, self.outside = root, root / "outside"
        (root / "project/snippets/demo").mkdir(parents=True)
        (self.outside / "folder").mkdir(parents=True)
        (self.outside / "file").write_text("as it was", encoding="utf-8")
        self.victim = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        self.heard = []
        self.listeners = [self.listen(socket.AF_INET, ("127.0.0.1", 0))]
        self.listeners += [self.listen(socket.AF_UNIX, name) for name in (f"\0hexapla-{os.getpid()}", f"{root}/socket")]
        self.worker = start_worker(root / "project", root / "project/snippets", Runner("cpu"), "cpu", 1)

    def listen(self, family, address):
        made = socket.socket(family)
        made.bind(address)
        made.listen()

        def hear():
            while True:
                try:
                    self.heard.append(made.accept())
                except OSError:
                    return

        threading.Thread(target=hear, daemon=True).start()
        return made

    def source(self, text):
        places = {
            "PROJECT": self.root / "project", "OUTSIDE": self.outside, "FILE": self.outside / "file",
            "FOLDER": self.outside / "folder",
        }
        values = {
            "CLIENT": os.getpid(), "VICTIM": self.victim.pid, "PORT": self.listeners[0].getsockname()[1],
            "ABSTRACT": f"hexapla-{os.getpid()}", "SOCKET": f"{self.root}/socket",
            "LONG": LONG,
        }
        lines = [f"{name} = Path({str(place)!r})" for name, place in places.items()]
        return "\n".join([IMPORTS, *lines, *(f"{name} = {value!r}" for name, value in values.items()), text])

    def run(self, text, seconds=20.0, mebibytes=200, new_server=False):
        file = self.root / "project/snippets/demo/probe.py"
        file.write_text(self.source(text), encoding="utf-8")
        before = self.state()
        ended = self.worker.run_program(file, Limits(seconds, mebibytes << 20))
        after = self.state()
        if new_server:
            assert after.pop("server") != before.pop("server")
        assert after == before
        return ended

    def state(self):
        """All that a snippet must leave as it was; times of folders are of no interest, as files are counted."""
        files = {
            str(path): (found.st_mode, found.st_uid, found.st_gid, found.st_nlink, found.st_size, found.st_mtime_ns)
            for path in sorted([*self.root.rglob("*"), *Path("/dev/shm").glob("hexapla*")])
            if (found := path.lstat())
        }
        status = Path(f"/proc/{self.victim.pid}/stat").read_text().rpartition(")")[2].split()
        command = f"sleep\0{LONG}".encode()
        sleeping = [each for each in Path("/proc").glob("[0-9]*/cmdline") if command in read(each)]
        return {
            "files": files, "victim": (status[0], os.getpriority(os.PRIO_PROCESS, self.victim.pid)),
            "alive": self.victim.poll(), "server": self.worker.prepared.process.pid, "heard": len(self.heard),
            "left": sleeping, "scratch": sorted(each.name for each in self.worker.prepared.scratch.iterdir()),
        }

    def close(self):
        self.worker.close()
        self.victim.kill()
        self.victim.wait()
        for each in self.listeners:
            each.close()


def read(file):
    try:
        return file.read_bytes()
    except OSError:
        return b""


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        for name, value in SECRETS.items():
            patched.setenv(name, value)
        made = Ground(tmp_path_factory.mktemp("ground"))
        yield made
        made.close()


@pytest.fixture(autouse=True)
def not_terminated():
    """A snippet that gets through to the tests' own process ends no test."""
    heard = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    yield
    signal.signal(signal.SIGTERM, before)
    assert not heard


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_snippet_does_not_get_through(case, ground):
    held, lacking = NEEDS[case.get("needs", "")]
    if not held:
        pytest.skip(lacking)
    seconds = 1.0 if case.get("ends") == "seconds" else 20.0
    ended = ground.run(case["source"], seconds, case.get("mebibytes", 200), case.get("ends") == "spoiled")
    assert ended.limit in case.get("ends", "").split("|"), (ended.output, ended.errors)
    assert "through" not in ended.output, ended.output
    assert ground.run("print(3)").output == "3\n"
