"""A snippet and its tests are run in processes of their own, and their end is told as it was."""

import os
import re
import signal
import socket
import time
from pathlib import Path

import pytest
from hexapla.examples import sandbox
from hexapla.examples.client import PROBES, Limits
from hexapla.examples.evidence import Status
from hexapla.examples.local_pool import RunContext, run_snippet, start_worker
from hexapla.examples.runners import Runner
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import task_of

from tests.cases import cases
from tests.examples.test_outdated_runs import lay


@pytest.fixture
def project(tmp_path):
    """Lays a snippet, and its test where there is one; runs it."""
    workers = []

    def lay_and_run(source, test=None, seconds=60, memory_mib=4096):
        files = {"snippets/demo/case.py": source, "tests/snippets/demo/test_case.py": test}
        for name, text in files.items():
            if text is not None:
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name).write_text(text, encoding="utf-8")
        snippets = Snippets(tmp_path / "snippets")
        workers.append(start_worker(tmp_path, snippets.root, Runner("cpu"), "cpu", 1))
        context = RunContext(tmp_path, snippets, "cpu", "Demo", "", Limits(seconds, memory_mib << 20))
        return run_snippet(task_of(tmp_path, "demo/case.py"), context, workers[-1])

    yield lay_and_run
    for worker in workers:
        worker.close()


@pytest.mark.parametrize("case", cases("examples/runs"))
def test_case(case, project, tmp_path):
    if case.get("needs") == "confinement" and not any(sandbox.find_confinement()):
        pytest.skip("this system cannot confine a process")
    before = time.monotonic()
    ended = project(case["source"], case.get("test"), case.get("seconds", 60), case.get("memory_mib", 4096))
    assert ended.status == Status(case["status"]), ended.reason
    assert ended.output == case["output"]
    reason = re.escape(case["reason"]).replace(r"\*", ".*")  # a star stands for what differs from machine to machine
    assert re.fullmatch(reason, ended.reason), ended.reason
    assert list(ended.tests) == case.get("tests", [])
    assert ended.seconds + ended.test_seconds <= time.monotonic() - before + 0.1
    assert ended.source == Snippets(tmp_path / "snippets").hash("demo/case.py")
    assert sorted(file.name for file in (tmp_path / "snippets/demo").iterdir()) == ["case.py"]


def test_a_run_is_a_function_of_what_its_tests_share_but_not_of_what_the_whole_suite_does(project, tmp_path):
    shared = ("tests/conftest.py", "tests/snippets/conftest.py", "tests/snippets/demo/conftest.py",
              "tests/snippets/other/conftest.py")
    for name in shared:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    ended = project("print(3)", "def test_one():\n    pass\n")
    assert set(ended.files) == {"snippets/demo/case.py", "tests/snippets/demo/test_case.py", *shared[1:3]}


@pytest.mark.skipif(not sandbox.find_confinement().namespaces, reason="needs user namespaces")
@pytest.mark.parametrize(("allowed", "marked", "status"), [
    (True, True, Status.RAN), (True, False, Status.FAILED), (False, True, Status.SKIPPED),
    (False, False, Status.FAILED),
])
def test_the_network_is_for_those_that_need_it_once_the_user_allows_it(allowed, marked, status, tmp_path):
    heard = socket.create_server(("127.0.0.1", 0))
    place = heard.getsockname()
    mark = "pytestmark = pytest.mark.needs(network=True)" if marked else ""
    files = {
        "snippets/demo/case.py": f"import socket\nsocket.create_connection({place})\nprint(3)\n",
        "tests/snippets/demo/test_case.py": f"import pytest\n{mark}\ndef test_one():\n    pass\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    snippets = Snippets(tmp_path / "snippets")
    worker = start_worker(tmp_path, snippets.root, Runner("cpu", network=allowed), "cpu", 1)
    context = RunContext(tmp_path, snippets, "cpu", "Demo", "", Limits())
    ended = run_snippet(task_of(tmp_path, "demo/case.py"), context, worker)
    worker.close()
    heard.close()
    assert ended.status is status, ended.reason


@pytest.mark.parametrize("leaving", [
    "",
    "time.sleep(600)",
], ids=["at its end", "at its limit"])
@pytest.mark.parametrize("child", [
    "subprocess.Popen([sys.executable, '-c', SLEEP])",
    "subprocess.Popen([sys.executable, '-c', SLEEP], start_new_session=True)",
], ids=["child", "child in a session of its own"])
def test_the_processes_that_a_snippet_has_started_end_with_it(project, child, leaving, tmp_path):
    ended = project(
        "import os, subprocess, sys, time\n"
        f"SLEEP = 'import time; time.sleep(600)  # {tmp_path}'\n"
        f"print(({child}).pid, flush=True)\n"
        f"print(os.path.realpath('.'), file=sys.stderr, flush=True)\n{leaving}\n",
        seconds=3,
    )
    assert ended.reason == ("did not end within 3 s" if leaving else "")
    for _ in range(100):  # the system takes a little while to take it off its list
        found = [each for each in Path("/proc").glob("[0-9]*/cmdline") if f"# {tmp_path}" in read(each)]
        if not found:
            return
        time.sleep(0.05)
    raise AssertionError(found)


def read(file):
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""


def test_a_worker_that_was_taken_along_is_replaced_and_nothing_else_is_lost(project, tmp_path):
    project("print(1)\n")
    snippets = Snippets(tmp_path / "snippets")
    worker = start_worker(tmp_path, snippets.root, Runner("cpu"), "cpu", 1)
    context = RunContext(tmp_path, snippets, "cpu", "Demo", "", Limits())
    os.kill(worker.prepared.process.pid, signal.SIGKILL)
    ended = run_snippet(task_of(tmp_path, "demo/case.py"), context, worker)
    assert (ended.status, ended.reason) == (Status.FAILED, "took the worker with it, which ended with status -9")
    (tmp_path / "snippets/demo/next.py").write_text("print(3)\n")
    assert run_snippet(task_of(tmp_path, "demo/next.py"), context, worker).output == "3"
    worker.close()


# What a program has in place of PyTorch, once it has allocated so many bytes on each of two GPUs.
PYTORCH = """
import sys, types
cuda = types.SimpleNamespace(
    is_initialized=lambda: True, device_count=lambda: 2, get_device_properties=lambda device: types.SimpleNamespace(
        name="NVIDIA H100", total_memory=80 << 30, major=9, minor=0),
    memory_stats=lambda device: {{"allocated_bytes.all.allocated": {allocated}}})
version = types.SimpleNamespace(cuda="12.8", hip=None)
sys.modules["torch"] = types.SimpleNamespace(cuda=cuda, version=version, __version__="2.11.0+cu128")
print(3)
"""
UNUSED = "ran without allocating memory on the GPU, so it says nothing of it"
DRIVER = "open('/proc/self/comm', 'w').write('driver')\n"


@pytest.mark.parametrize(("probe", "source", "status", "reason", "allocated"), [
    ("raise RuntimeError('no CUDA driver')\n", PYTORCH.format(allocated=512), Status.FAILED,
     "the gpu cannot be used from here: RuntimeError: no CUDA driver", 0),
    (DRIVER, PYTORCH.format(allocated=512), Status.RAN, "", 1024),
    (DRIVER, PYTORCH.format(allocated=0), Status.SKIPPED, UNUSED, 0),
    (DRIVER, "print(3)\n", Status.SKIPPED, UNUSED, 0),
    (DRIVER, "import torch\nprint(3)\n", Status.SKIPPED, UNUSED, 0),
])
def test_what_a_gpu_is_to_run_does_not_run_on_the_cpu_unseen(
    probe, source, status, reason, allocated, tmp_path, monkeypatch,
):
    (tmp_path / "probe.py").write_text(probe)
    monkeypatch.setitem(PROBES, "gpu", tmp_path / "probe.py")
    (tmp_path / "snippets/demo").mkdir(parents=True)
    (tmp_path / "snippets/demo/case.py").write_text(source)
    worker = start_worker(tmp_path, tmp_path / "snippets", Runner("gpu", device="gpu"), "gpu", 1)
    context = RunContext(tmp_path, Snippets(tmp_path / "snippets"), "gpu", "Demo", "", Limits())
    ended = run_snippet(task_of(tmp_path, "demo/case.py"), context, worker)
    worker.close()
    assert (ended.status, ended.reason, ended.allocated_bytes or 0) == (status, reason, allocated)
    if "sys.modules" in source and status is not Status.FAILED:
        assert ended.runtime == {"torch": "2.11.0+cu128", "cuda": "12.8", "device": "NVIDIA H100",
                                 "memory_bytes": str(80 << 30), "capability": "9.0"}


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


def test_the_hash_sees_a_helper_that_folders_share(tmp_path):
    files = {"demo/main.py": "import _near", "demo/_near.py": "import _far", "_shared/_far.py": "one = 1"}
    lay(tmp_path, files)
    before = Snippets(tmp_path)
    assert before.list_helpers("demo/main.py") == {"demo/_near.py", "_shared/_far.py"}
    assert before.run_by("_shared/_far.py") == "demo/main.py"
    (tmp_path / "_shared/_far.py").write_text("one = 2")
    assert Snippets(tmp_path).hash("demo/main.py") != before.hash("demo/main.py")


@pytest.mark.parametrize(("line", "helpers"), [
    ("from torch.distributed.fsdp import fully_shard", set()), ("import torch.fsdp", set()),
    ("import fsdp", {"demo/fsdp.py"}), ("from .fsdp import one", {"demo/fsdp.py"}),
    ("from other.far import one", {"other/far.py"}), ("import snippets.other.far", {"other/far.py"}),
])
def test_a_module_is_a_file_of_the_tree_only_where_its_whole_name_leads(line, helpers, tmp_path):
    files = {"demo/main.py": line, "demo/fsdp.py": "one = 1", "other/far.py": "one = 1"}
    lay(tmp_path / "snippets", files)
    assert Snippets(tmp_path / "snippets").list_helpers("demo/main.py") == helpers


def test_helpers_are_no_snippets(tmp_path):
    (tmp_path / "demo").mkdir()
    for name in ("b.py", "a.py", "_tiny.py", "zero.json"):
        (tmp_path / "demo" / name).touch()
    assert list(Snippets(tmp_path).names()) == ["demo/a.py", "demo/b.py"]
