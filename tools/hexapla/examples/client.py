"""Clients of fork servers: send a request, wait for the response, read the output."""

import contextlib
import json
import os
import subprocess
import tempfile
import threading
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.errors import ConfigError
from hexapla.examples import process_tree, sandbox
from hexapla.examples.fork_server import SPOILED, Request
from hexapla.examples.sandbox import Confinement
from hexapla.files import user_cache

OUTPUT_LIMIT = 64 * 1024  # characters: more is a log, not an example's output
FILE_LIMIT = 16 << 20  # bytes of output at which a process is ended
WORKER_LOST = "lost"
PNG_START, PNG_END = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\0\0\0\0IEND\xaeB`\x82"
GRACE = 30.0  # seconds after a limit until a server that has not ended the process is ended with it
IMPORT_LIMIT = 600.0  # seconds for what a server imports ahead
# What a run is told of our environment, names that begin so included; no keys, no tokens, no proxies, no agents.
INHERITED = (
    "PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
    "NVIDIA_*", "OMP_NUM_THREADS", "TPU_ACCELERATOR_TYPE", "HF_HUB_CACHE", "TORCH_HOME", "CC", "CXX",
)
# The lines of a report: their fields, and what these are; what lists and mappings hold is text.
REPORTED: Sequence[Mapping[str, type]] = (
    {"test": str, "outcome": str, "reason": str}, {"finished": int}, {"allocated_bytes": int},
    {"modules": list, "files": list, "runtime": dict},
)
LARGEST = 1 << 63
# A driver names its threads in /proc/<process>/task/<thread>/comm, and CUDA gives error 304 where it cannot.
WRITABLE = {"gpu": ("/proc",)}
PROBES = {"gpu": Path(__file__).with_name("cuda_probe.py")}


class Limits(NamedTuple):
    """The limits of one process and its children; memory is that of all of them together."""

    seconds: float = 300
    memory_bytes: int = 8 << 30


class ProcessResult(NamedTuple):
    """How a process ended: exit status or minus a signal's number, the limit it was ended at, and what it wrote.

    `limit` is that of a Response, "lost" if the worker itself ended, "spoiled" if it has other limits now, or empty.
    """

    code: int
    limit: str
    seconds: float
    peak_memory_bytes: int
    output: str
    errors: str
    report: tuple[Mapping[str, Any], ...]


class ForkServer:
    """A running fork server in an environment's interpreter, confined, which starts one process after another.

    It writes in `scratch`, which is removed, and in `cache`, which is kept.
    """

    def __init__(
        self, path: str, root: Path, variables: Mapping[str, str], preload: Sequence[str] = (), device: str = "cpu",
        network: bool = False,
    ) -> None:
        self.root = root
        self.cache = user_cache("runs", root)
        self.scratch = Path(tempfile.mkdtemp(prefix="hexapla-")).resolve()
        temporary, home = self.scratch / "tmp", self.scratch / "home"  # no run writes the home of its server
        temporary.mkdir()
        home.mkdir()
        self.path = path
        self.preload = tuple(preload)
        # Modules read these while they are imported; the tests, too, may write there.
        places = {"XDG_CACHE_HOME": self.cache, "TORCHINDUCTOR_CACHE_DIR": self.cache / "inductor",
                  "TRITON_CACHE_DIR": self.cache / "triton", "TMPDIR": temporary, "HOME": home}
        caches = {name: str(folder) for name, folder in places.items()}
        exact, prefixes = {*INHERITED}, tuple(name[:-1] for name in INHERITED if name.endswith("*"))
        inherited = {name: value for name, value in os.environ.items() if name in exact or name.startswith(prefixes)}
        self.variables = {**inherited, **caches, **variables}
        # What a run may write that is not of this run alone; PyTorch works out where headers go while it is imported.
        self.kept = (str(self.cache), str(temporary), *WRITABLE.get(device, ()))
        self.confinement = Confinement((str(self.scratch), *self.kept), network, sandbox.find_confinement().namespaces)
        self.overdue = False
        self.packages: Mapping[str, tuple[str, str]] = {}
        self.closed = False
        self.process = self.start_process()

    def start_process(self) -> subprocess.Popen[bytes]:
        """Start the server; it sends which packages there are once it has imported the modules to preload."""
        server = [self.path, "-s", "-P", "-m", "hexapla.examples.fork_server", *self.preload]
        return subprocess.Popen(
            sandbox.wrap_command(self.confinement, server), cwd=self.scratch, env=self.variables, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )

    def close(self) -> None:
        """Close the connection; the server ends what it has started, and itself."""
        self.closed = True
        assert self.process.stdin and self.process.stdout
        if not self.packages:  # it is still importing, and has started nothing
            self.process.kill()
        self.process.stdin.close()
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:  # it has been stopped
            process_tree.kill_tree(self.process.pid)
            self.process.wait()
        self.process.stdout.close()
        with contextlib.suppress(OSError):  # what ended its server may still write there
            process_tree.empty_folder(self.scratch)
            self.scratch.rmdir()

    def receive_line(self, seconds: float) -> Mapping[str, Any]:
        """The server's next line, empty if it has ended; it is ended if there is none for so long."""
        assert self.process.stdout
        timer = threading.Timer(seconds, self.end_process)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        return json.loads(line) if line else {}

    def end_process(self) -> None:
        """End a server that does not answer, and all that it has started."""
        self.overdue = True
        process_tree.kill_tree(self.process.pid)

    def execute(self, arguments: Sequence[str], limits: Limits, tests: bool) -> ProcessResult:
        """Run a program, or pytest, in an empty folder, removed afterwards; `{folder}` is one for temporary files."""
        base = Path(tempfile.mkdtemp(dir=self.scratch, prefix=""))
        work, temporary = base / "work", base / "tmp"
        work.mkdir()
        temporary.mkdir()
        files = [base / each for each in ("output", "errors", "report")]
        for file in files:
            file.touch()
        request = Request(
            arguments=tuple(part.format(folder=temporary) if tests else part for part in arguments),
            tests=tests,
            root=str(self.root),
            private=self.confinement.namespaces,
            variables={"TMPDIR": str(temporary), "HOME": str(temporary)},
            writable=(str(work), str(temporary), *self.kept),
            output=str(files[0]), errors=str(files[1]), report=str(files[2]),
            seconds=limits.seconds, memory_bytes=limits.memory_bytes, output_bytes=FILE_LIMIT,
        )
        answer = self.send_request(request)
        output, errors, report = (read_output(file) for file in files)
        with contextlib.suppress(OSError):  # what ended its server may still write there
            process_tree.empty_folder(base)
            base.rmdir()
        return ProcessResult(**answer, output=output, errors=errors, report=tuple(read_outcomes(report)))

    def send_request(self, request: Request) -> dict[str, Any]:
        """Send a request and wait for the response; a server that has ended is started again."""
        assert self.process.stdin
        if not self.packages:
            started = self.receive_line(IMPORT_LIMIT)
            if problem := started.get("problem"):
                raise ConfigError(f"a run cannot be confined here: {problem}; run it on another machine")
            self.packages = started.get("packages", {})
        with contextlib.suppress(BrokenPipeError):  # it has ended; the missing response says so
            self.process.stdin.write((json.dumps(request._asdict()) + "\n").encode())
            self.process.stdin.flush()
        answer = self.receive_line(request.seconds + GRACE)
        if answer and answer["limit"] != SPOILED:
            return dict(answer)
        if answer:
            process_tree.kill_tree(self.process.pid)
        code = self.process.wait()
        limit, seconds = ("seconds", request.seconds) if self.overdue else (WORKER_LOST, 0.0)
        self.packages = {}
        self.overdue = False
        if not self.closed:
            self.process = self.start_process()
        return dict(answer) or {"code": code, "limit": limit, "seconds": seconds, "peak_memory_bytes": 0}


class Worker:
    """Runs tests and programs of snippets in one environment, by two fork servers; one of them imports `preload`.

    A program that measures runs in the other, as for a reader; what needs the network in a third, if `network` allows.
    """

    def __init__(
        self, path: str, root: Path, variables: Mapping[str, str], preload: Sequence[str] = (), device: str = "cpu",
        network: bool = False,
    ) -> None:
        self.start = partial(ForkServer, path, root, variables, device=device)
        self.prepared = self.start(preload)
        self.bare = self.start()
        self.device = device
        self.network = network

    @cached_property
    def connected(self) -> ForkServer:
        return self.start(self.prepared.preload, network=True)

    @cached_property
    def device_problem(self) -> str:
        """Why programs cannot use the device, empty if they can: a snippet that finds no GPU runs on the CPU unseen."""
        probe = PROBES.get(self.device)
        ended = self.prepared.execute([str(probe)], Limits(), tests=False) if probe else None
        if ended is None or not ended.code:
            return ""
        said = ended.errors.strip().splitlines() or [f"exit status {ended.code}"]
        return f"the {self.device} cannot be used from here: {said[-1]}"

    def run_tests(self, arguments: Sequence[str], limits: Limits, network: bool = False) -> ProcessResult:
        return (self.connected if network else self.prepared).execute(arguments, limits, tests=True)

    def run_program(
        self, file: Path, limits: Limits, measures: bool = False, network: bool = False
    ) -> ProcessResult:
        """Run a file as a reader does."""
        server = self.connected if network else self.bare if measures else self.prepared
        return server.execute([str(file)], limits, tests=False)

    @property
    def packages(self) -> Mapping[str, tuple[str, str]]:
        """Distribution and version of all that can be imported there, and of Python; known after the first run."""
        return self.prepared.packages or self.bare.packages

    def close(self) -> None:
        self.prepared.close()
        self.bare.close()
        if "connected" in self.__dict__:
            self.connected.close()


def read_outcomes(report: str) -> Iterator[Mapping[str, Any]]:
    """What tests and programs came to, by the lines of a report; a test can write others there, which are left out."""
    for line in report.splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            outcome = json.loads(line)
            if isinstance(outcome, dict) and any(is_report(outcome, fields) for fields in REPORTED):
                yield {name: clean_value(value) for name, value in outcome.items()}


def is_report(outcome: Mapping[str, Any], fields: Mapping[str, type]) -> bool:
    """Whether a line of a report has these fields and no others, of their types."""
    return outcome.keys() == fields.keys() and all(
        type(outcome[name]) is kind and is_reported(outcome[name]) for name, kind in fields.items())


def is_reported(value: Any) -> bool:
    """Whether a value is text, a number in its bounds, or holds nothing but text."""
    if isinstance(value, dict):
        return all(isinstance(each, str) for item in value.items() for each in item)
    return all(isinstance(each, str) for each in value) if isinstance(value, list | str) else 0 <= value < LARGEST


def clean_value(value: Any) -> Any:
    """A reported value, its texts without line breaks, and without what UTF-8 has no bytes for."""
    if isinstance(value, dict):
        return {clean_value(name): clean_value(each) for name, each in value.items()}
    if isinstance(value, list):
        return [clean_value(each) for each in value]
    return " ".join(value.encode("utf-8", "replace").decode().splitlines()) if isinstance(value, str) else value


def read_output(file: Path, limit: int = 4 * OUTPUT_LIMIT) -> str:
    """Read what a process wrote to a file; past twice `limit` bytes the middle is left out."""
    with file.open("rb") as stream:
        data = stream.read(limit)
        size = file.stat().st_size
        if size > limit:
            stream.seek(max(limit, size - limit))
            data += b"\n...\n" + stream.read()
    return "".join(text_of(data))


def text_of(data: bytes) -> Iterator[str]:
    """Printed bytes as text, each PNG in them as a line, its address with all of its data."""
    position = 0
    while (start := data.find(PNG_START, position)) >= 0 and (end := data.find(PNG_END, start)) >= 0:
        yield data[position:start].decode("utf-8", errors="replace")
        position = end + len(PNG_END)
        yield f"\ndata:image/png;base64,{b64encode(data[start:position]).decode()}\n"
    yield data[position:].decode("utf-8", errors="replace")
