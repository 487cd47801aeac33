"""The fork server: runs in an environment's interpreter, forks a process for each request and watches its limits.

    python -P -m hexapla.examples.fork_server torch transformers.trainer

Its client starts it confined, by `sandbox`; each fork confines itself further, and has what was named there imported.
Requests and responses are JSON objects, one a line. Only the standard library is imported, and pytest for tests.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn, TextIO

from hexapla.examples import process_tree
from hexapla.examples.machine import installed_packages
from hexapla.examples.sandbox import SHARED_MEMORY, confine_writes

PATIENCE = 0.2  # seconds between two looks at memory and output
MOST_PROCESSES = 1000
SPOILED = "spoiled"  # the limit of a process that has changed the server, which is not to start another one


class Request(NamedTuple):
    """What to start: pytest with `arguments` for `tests`, else the program that they begin with, and its arguments.

    Limits are seconds and bytes; `writable` are folders, and the first two of them, of this run alone, may hold as many
    bytes as its memory. `private` is whether shared memory is of this server alone. `output`, `errors` and `report` are
    files; the last has a JSON object a line for each test, and for what a process has used.
    """

    arguments: tuple[str, ...]
    tests: bool
    root: str
    private: bool
    variables: dict[str, str]
    writable: tuple[str, ...]
    output: str
    errors: str
    report: str
    seconds: float
    memory_bytes: int
    output_bytes: int


class Response(NamedTuple):
    """How a process ended: exit status or minus a signal's number; `limit` names the limit that it exceeded, if any.

    That is "seconds", "memory", "hidden" for memory that cannot be measured, "processes", "files" or "output".
    `peak_memory_bytes` is the largest of its processes, by the kernel: what was imported ahead counts.
    """

    code: int
    limit: str
    seconds: float
    peak_memory_bytes: int


def main(preload: list[str]) -> None:
    """Serve until the client closes its end."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever an import prints does not get between the responses
    process_tree.set_process_option(process_tree.CHILD_SUBREAPER, 1)
    for module in preload:
        with contextlib.suppress(ImportError):  # the test that needs it says so
            importlib.import_module(module)
    sys.stdout.flush()  # else each fork would print it
    gc.freeze()  # forks share these pages until somebody writes to them
    awake, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    said: dict[str, Any] = {"packages": installed_packages()}
    out.write(json.dumps(said) + "\n")
    out.flush()
    before = own_limits()
    for line in read_lines(0):
        response = serve_request(Request(**json.loads(line)), awake, out)
        said = (response if own_limits() == before else response._replace(limit=SPOILED))._asdict()
        out.write(json.dumps(said) + "\n")
        out.flush()


def own_limits() -> tuple[object, ...]:
    """The limits, the priority and the cores of this process, which what it starts has too, and could change."""
    import resource

    limits = [resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")]
    scheduled = (os.sched_getaffinity(0), os.sched_getscheduler(0)) if sys.platform.startswith("linux") else ()
    return (*limits, os.getpriority(os.PRIO_PROCESS, 0), *scheduled)


def read_lines(descriptor: int) -> Iterator[bytes]:
    """Read lines until the end; unbuffered, so that `serve`, which polls for the end, misses nothing."""
    held = b""
    while received := os.read(descriptor, 1 << 16):
        *whole, held = (held + received).split(b"\n")
        yield from whole


def serve_request(request: Request, awake: int, answers: TextIO) -> Response:
    """Run a request in a fork, watch it to its end, and leave none of its processes behind."""
    started = time.monotonic()
    process = os.fork()
    if not process:
        answers.close()  # were it open in what the child leaves behind, our end would not be noticed
        for descriptor in (awake, signal.set_wakeup_fd(-1)):
            with contextlib.suppress(OSError):  # NVIDIA's driver closes descriptors after a fork
                os.close(descriptor)  # were the bytes in it taken away, the server would wait for them
        run_child(request)
    limit = ""
    while True:
        pid, status, usage = os.wait4(process, os.WNOHANG)
        if pid:
            break
        if not limit and (limit := exceeded_limit(request, started)):
            os.kill(process, signal.SIGKILL)
        ready, _, _ = select.select([0, awake], [], [], PATIENCE)
        if awake in ready:
            os.read(awake, 1 << 12)
        if 0 in ready and not os.read(0, 1):  # the client has closed its end
            process_tree.kill_all(process)
            os._exit(0)
    seconds = time.monotonic() - started
    process_tree.kill_all(process)
    if request.private:
        process_tree.empty_folder(SHARED_MEMORY)
        process_tree.remove_segments()
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Response(os.waitstatus_to_exitcode(status), limit, seconds, peak)


def exceeded_limit(request: Request, started: float) -> str:
    if time.monotonic() - started > request.seconds:
        return "seconds"
    stored = 0
    if request.private:
        stored = process_tree.bytes_below([SHARED_MEMORY]) + sum(process_tree.measure_segments().values())
    running = process_tree.list_descendants(os.getpid())
    if len(running) > MOST_PROCESSES:
        return "processes"
    try:
        if process_tree.use_more_than(running, request.memory_bytes, stored):
            return "memory"
    except PermissionError:
        return "hidden"
    if process_tree.bytes_below(request.writable[:2]) > request.memory_bytes:
        return "files"
    if max(Path(name).stat().st_size for name in (request.output, request.errors)) > request.output_bytes:
        return "output"
    return ""


def run_child(request: Request) -> NoReturn:
    """In the fork: run the tests or the program, and exit."""
    code = 1
    try:
        report = prepare_child(request)
        if request.tests:
            sys.path.insert(0, request.root)  # as `python -m pytest` does
            code = run_tests(list(request.arguments), report)
            report_usage(report, request.root)
    except BaseException as error:  # whatever it is, this process must not go on as the worker
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    else:
        if not request.tests:
            atexit.register(report_usage, report, request.root)  # the first one registered is the last one called
            run_program(request.arguments)
    sys.stdout.flush()
    os._exit(code)


def prepare_child(request: Request) -> int:
    """Give this process its own session, folder, files and limits; returns the descriptor of the report."""
    process_tree.set_process_option(process_tree.PARENT_DEATH_SIGNAL, signal.SIGKILL)
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, name in ((1, request.output), (2, request.errors)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_APPEND), descriptor)
    os.chdir(request.writable[0])
    os.environ.update(request.variables)
    tempfile.tempdir = None  # it was looked up before the variables were set
    report = os.open(request.report, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    import resource

    # Twice what its own folder may hold: that is told by its limit, and this is for the cache.
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * request.memory_bytes, 2 * request.memory_bytes))
    confine_writes(request.writable)
    return report


def run_program(arguments: Sequence[str]) -> NoReturn:
    """Run a file as `python FILE ARGUMENT...` does, to the end of its interpreter, which is this one's end too.

    https://docs.python.org/3/using/cmdline.html#interface-options says what a program finds in `sys`.
    """
    file = Path(arguments[0])
    sys.argv = list(arguments)
    sys.orig_argv = [sys.executable, *arguments]
    sys.path.insert(0, str(file.resolve().parent))
    main = ModuleType("__main__")
    main.__file__ = str(file)
    # The second is multiprocessing's name for it, under which the processes that it starts send objects back.
    sys.modules["__main__"] = sys.modules["__mp_main__"] = main
    try:
        exec(compile(file.read_bytes(), file, "exec", dont_inherit=True), main.__dict__)
    except Exception as error:  # printed without the frames that led to the program
        place = error.__traceback__ and error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(place), place)
        raise SystemExit(1) from None
    raise SystemExit  # which waits for threads, calls what is to be called at the end, and writes what is still held


def report_usage(report: int, root: str) -> None:
    """Write what this process has imported, from the tree and from packages, and on what PyTorch has computed."""
    runtime: dict[str, str] = {}
    torch: Any = sys.modules.get("torch")
    if hasattr(torch, "cuda") and torch.cuda.is_initialized():
        devices = range(torch.cuda.device_count())
        allocated = sum(torch.cuda.memory_stats(each).get("allocated_bytes.all.allocated", 0) for each in devices)
        os.write(report, (json.dumps({"allocated_bytes": allocated}) + "\n").encode())
        device = torch.cuda.get_device_properties(0)
        runtime = {"device": device.name, "memory_bytes": str(device.total_memory),
                   "capability": f"{device.major}.{device.minor}"}
    if hasattr(torch, "version"):
        builds = {"torch": torch.__version__, "cuda": torch.version.cuda, "hip": getattr(torch.version, "hip", None)}
        runtime |= {name: str(version) for name, version in builds.items() if version}
    modules = sorted({name.partition(".")[0] for name in [*sys.modules]})
    files = sorted({*files_below(root)})
    said = {"modules": modules, "files": files, "runtime": runtime}
    os.write(report, (json.dumps(said) + "\n").encode())


def files_below(root: str) -> Iterator[str]:
    """The paths from `root` of the modules that this process has imported from there, no installed packages."""
    below = tuple(f"{folder}{os.sep}" for folder in (root, os.path.realpath(root)))
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None)
        ours = name.partition(".")[0] == "hexapla" or file == __file__
        if isinstance(file, str) and file.startswith(below) and not ours:
            path = file[len(below[not file.startswith(below[0])]) :]
            if "site-packages" not in path:
                yield path


def run_tests(arguments: list[str], report: int) -> int:
    """Run pytest; each outcome is written at once, so that it is kept whatever happens next."""
    import pytest

    class Reporter:
        """A pytest plugin that writes the outcome of each test."""

        def report_line(self, **said: Any) -> None:
            os.write(report, (json.dumps(said) + "\n").encode())

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if not report.passed:
                self.report_line(test="", outcome=report.outcome, reason=failure_line(report))

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.when == "call" or not report.passed:
                name = report.nodeid.partition("::")[2]
                self.report_line(test=name, outcome=report.outcome, reason=failure_line(report))

        def pytest_sessionfinish(self, exitstatus: int) -> None:
            self.report_line(finished=int(exitstatus))

    return int(pytest.main(arguments, plugins=[Reporter()]))


def failure_line(report: Any) -> str:
    """The line of a report that says why: the exception, or the reason of a skip."""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    place = getattr(report.longrepr, "reprcrash", None)
    said = place.message if place else str(report.longrepr or "")
    lines = [line for line in said.splitlines() if line.strip()]
    return (lines[0] if place else lines[-1]).strip() if lines else ""


if __name__ == "__main__":
    main(sys.argv[1:])
