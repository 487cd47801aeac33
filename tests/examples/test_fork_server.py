"""A program that is forked from a prepared interpreter ends, and says, what it would with an interpreter of its own."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import hexapla
import pytest
from hexapla.examples import client, sandbox
from hexapla.examples.client import Limits, Worker
from hexapla.examples.process_tree import list_children

from tests.cases import cases

PACKAGES = str(Path(hexapla.__file__).parents[1])


@pytest.fixture
def worker(tmp_path):
    """One that has imported something, and that has few of the caller's variables."""
    variables = {"PYTHONPATH": PACKAGES, "PYTHONIOENCODING": "utf-8", "MARK": "as it was"}
    worker = Worker(sys.executable, tmp_path, variables, ["decimal", "multiprocessing.pool"])
    yield worker
    worker.close()


def laid(folder, source, name="case.py"):
    """A program and a module beside it."""
    folder.mkdir(exist_ok=True)
    (folder / "beside.py").touch()
    (folder / name).write_text(source, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("case", cases("examples/programs"))
def test_case(case, worker, tmp_path):
    file = laid(tmp_path / "programs", case["source"])
    empty = tmp_path / "empty"
    empty.mkdir()
    with tempfile.TemporaryDirectory() as short:  # sockets are made in it, whose paths may have 107 characters
        own = subprocess.run([sys.executable, str(file)], cwd=empty, env={**worker.prepared.variables, "TMPDIR": short},
                             stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    ended = worker.run_program(file, Limits(60))
    assert (ended.output, ended.errors, ended.code, ended.limit) == (own.stdout, own.stderr, own.returncode, "")
    assert own.stdout + own.stderr


CHANGES = """
import decimal, gc, os, signal, sys, tempfile, warnings
decimal.getcontext().prec = 3
decimal.mine = sys.mine = True
sys.path.insert(0, "/nowhere")
sys.argv.append("more")
sys.excepthook = sys.exit = None
os.environ["MARK"] = "changed"
os.chdir("/")
os.umask(0o077)
warnings.simplefilter("error")
signal.signal(signal.SIGTERM, signal.SIG_IGN)
gc.disable()
"""
ASKS = """
import decimal, gc, os, signal, sys, warnings
print(decimal.Decimal(1) / 7, hasattr(decimal, "mine"), hasattr(sys, "mine"), sys.path, sys.argv, sys.excepthook)
print(os.environ["MARK"], os.listdir(), oct(os.umask(0)), warnings.filters, signal.getsignal(signal.SIGTERM))
print(gc.isenabled())
"""


def test_what_a_program_changes_is_as_it_was_for_the_next(worker, tmp_path):
    asks = laid(tmp_path / "programs", ASKS, "asks.py")
    before = worker.run_program(asks, Limits(60)).output
    changed = worker.run_program(laid(tmp_path / "programs", CHANGES), Limits(60))
    assert (changed.code, changed.errors) == (0, "")
    assert "as it was []" in before
    assert worker.run_program(asks, Limits(60)).output == before


def test_what_was_imported_ahead_is_there_unless_the_program_measures(worker, tmp_path):
    file = laid(tmp_path, "import sys\nprint('decimal' in sys.modules)")
    assert worker.run_program(file, Limits(60)).output == "True\n"
    assert worker.run_program(file, Limits(60), measures=True).output == "False\n"


@pytest.fixture
def after_import(tmp_path):
    """Runs a program where a module has been imported that prints and asks for the folder of temporary files."""
    laid(tmp_path / "packages", "import tempfile\nprint('imported')\nFOLDER = tempfile.gettempdir()", "early.py")
    path = f"{PACKAGES}{os.pathsep}{tmp_path / 'packages'}"
    worker = Worker(sys.executable, tmp_path, {"PYTHONPATH": path, "PYTHONUNBUFFERED": ""}, ["early"])
    yield lambda source: worker.run_program(laid(tmp_path, source), Limits(60))
    worker.close()


def test_what_an_import_prints_is_in_no_programs_output(after_import):
    assert after_import("import early\nprint('ran')").output == "ran\n"


def test_temporary_files_and_those_at_home_are_gone_with_the_program(after_import):
    ended = after_import("import pathlib, tempfile\nprint(tempfile.mkdtemp())\nprint(pathlib.Path.home())")
    temporary, home = map(Path, ended.output.splitlines())
    assert temporary.parent == home
    assert home != Path.home() and not home.exists()


def test_a_library_may_write_where_temporary_files_were_while_it_was_imported(after_import):
    ended = after_import("import early, pathlib\nprint(pathlib.Path(early.FOLDER, 'headers').mkdir())")
    assert (ended.output, ended.errors) == ("None\n", "")


# As NVIDIA's driver does, which closes what it had opened while it was imported, whoever has that descriptor by now.
CLOSES = "import os\nfree = os.dup(0)\nos.close(free)\nos.register_at_fork(after_in_child=lambda: os.close(free))"


def test_a_library_may_close_descriptors_of_the_fork(tmp_path):
    laid(tmp_path / "packages", CLOSES, "early.py")
    path = f"{PACKAGES}{os.pathsep}{tmp_path / 'packages'}"
    worker = Worker(sys.executable, tmp_path, {"PYTHONPATH": path}, ["early"])
    ended = worker.run_program(laid(tmp_path, "print(1)"), Limits(60))
    worker.close()
    assert (ended.output, ended.code, ended.errors) == ("1\n", 0, "")


WAITS = """
import os, time
if os.fork():
    print(1, flush=True)
time.sleep(600)
"""


@pytest.fixture
def struck(worker, tmp_path):
    """What comes of a program, and its processes, where its server is sent a signal while it runs."""
    def strike(number, seconds=60):
        def send():
            while not any(file.stat().st_size for file in worker.prepared.scratch.glob("*/output")):
                time.sleep(0.01)
            launcher = worker.prepared.process.pid
            os.kill(list_children(launcher)[0] if sandbox.find_confinement().namespaces else launcher, number)

        threading.Thread(target=send, daemon=True).start()
        return worker.run_program(laid(tmp_path, WAITS), Limits(seconds))

    return strike


def test_a_program_whose_server_ends_does_not_go_on(struck, worker, tmp_path):
    assert struck(signal.SIGKILL).limit == "lost"
    if sandbox.find_confinement().namespaces:  # elsewhere a child of the program does, and is not waited for
        assert_gone(worker.prepared.scratch)
    assert worker.run_program(laid(tmp_path, "print(3)"), Limits(60)).output == "3\n"


def test_a_server_that_was_stopped_is_ended_with_all_that_it_started(struck, worker, tmp_path, monkeypatch):
    monkeypatch.setattr(client, "GRACE", 0.5)
    ended = struck(signal.SIGSTOP, seconds=0.5)
    assert (ended.limit, ended.code) == ("seconds", -signal.SIGKILL)
    assert_gone(worker.prepared.scratch)
    assert worker.run_program(laid(tmp_path, "print(3)"), Limits(60)).output == "3\n"


def assert_gone(folder):
    """No process works below a folder, after a little while."""
    for _ in range(100):
        if not (found := working_below(folder)):
            return
        time.sleep(0.05)
    raise AssertionError(found)


def working_below(folder):
    """The working folders of processes that are below a folder."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            found.append(link.readlink())
    return [each for each in found if each.is_relative_to(folder) and each != folder]


def test_a_worker_that_is_still_importing_is_let_go_at_once(tmp_path):
    source = "import time, pathlib\ntime.sleep(60)\npathlib.Path('imported').touch()\n"
    laid(tmp_path, source, "slow.py")
    worker = Worker(sys.executable, tmp_path, {"PYTHONPATH": f"{PACKAGES}{os.pathsep}{tmp_path}"}, ["slow"])
    worker.close()
    assert not (tmp_path / "imported").exists()
