"""The near side of a worker: hand it a request, wait for the answer, read what was written."""

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hexapla.examples.fork_server import Request

OUTPUT_LIMIT = 64 * 1024  # characters: more is a log, not an example's output
FILE_LIMIT = 16 << 20  # bytes of output at which a process is ended
LOST = "lost"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one process and its children may take; memory is that of all of them together."""

    seconds: float = 300
    memory_bytes: int = 8 << 30


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """How a process ended: exit status or minus a signal's number, the limit it was ended at, and what it wrote.

    `limit` is "seconds", "memory", "output", "lost" where the worker itself went away, or nothing.
    """

    code: int
    limit: str
    seconds: float
    peak_memory_bytes: int
    output: str
    errors: str
    report: tuple[Mapping[str, Any], ...]


class Interpreter:
    """An interpreter of an environment that starts one process after another."""

    def __init__(self, path: str, root: Path, variables: Mapping[str, str], preload: Sequence[str] = ()) -> None:
        self.root = root
        self.cache = root / ".hexapla" / "cache"
        (self.cache / "tmp").mkdir(parents=True, exist_ok=True)
        self.path = path
        self.preload = tuple(preload)
        # What modules compute from these while they are imported has to be writable for the tests, too.
        places = {"XDG_CACHE_HOME": self.cache, "TORCHINDUCTOR_CACHE_DIR": self.cache / "inductor",
                  "TMPDIR": self.cache / "tmp"}
        caches = {name: str(folder) for name, folder in places.items()}
        self.variables = {**os.environ, **caches, **variables}
        self.versions: Mapping[str, str] = {}
        self.closed = False
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        """Start the interpreter; it says hello when it has imported what it shall hold ready."""
        return subprocess.Popen(
            [self.path, "-m", "hexapla.examples.fork_server", *self.preload], cwd=self.root, env=self.variables,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )

    def close(self) -> None:
        """Let it go; it ends what it had started."""
        self.closed = True
        assert self.process.stdin and self.process.stdout
        if not self.versions:  # it is still importing, and has started nothing
            self.process.kill()
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def answer(self) -> Mapping[str, Any]:
        """The next line from the other side, nothing where it has gone away."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        return json.loads(line) if line else {}

    def execute(self, arguments: Sequence[str], limits: Limits, tests: bool) -> ProcessResult:
        """Run a program, or pytest, with these arguments, in an empty folder; afterwards nothing of it is left.

        `{folder}` in an argument is a folder beside that one, for temporary files.
        """
        with tempfile.TemporaryDirectory(prefix="hexapla-", ignore_cleanup_errors=True) as name:
            base = Path(name)
            work, temporary = base / "work", base / "tmp"
            work.mkdir()
            temporary.mkdir()
            files = [base / each for each in ("output", "errors", "report")]
            for file in files:
                file.touch()
            request = Request(
                arguments=tuple(part.format(folder=temporary) if tests else part for part in arguments),
                tests=tests,
                folder=str(work),
                variables={"TMPDIR": str(temporary), "HOME": str(temporary)},
                writable=(str(work), str(temporary), str(self.cache)),
                output=str(files[0]), errors=str(files[1]), report=str(files[2]),
                seconds=limits.seconds, memory_bytes=limits.memory_bytes, output_bytes=FILE_LIMIT,
            )
            answer = self.ask(request)
            output, errors, report = (text(file) for file in files)
        told = tuple(json.loads(line) for line in report.splitlines() if line.startswith("{") and line.endswith("}"))
        return ProcessResult(**answer, output=output, errors=errors, report=told)

    def ask(self, request: Request) -> dict[str, Any]:
        """Hand over a request and wait; a worker that has gone away is started anew."""
        assert self.process.stdin
        if not self.versions:
            self.versions = self.answer().get("versions", {})
        with contextlib.suppress(BrokenPipeError):  # it is gone; the answer that does not come says so
            self.process.stdin.write((json.dumps(asdict(request)) + "\n").encode())
            self.process.stdin.flush()
        answer = self.answer()
        if answer:
            return dict(answer)
        code = self.process.wait()
        self.versions = {}
        if not self.closed:
            self.process = self.start()
        return {"code": code, "limit": LOST, "seconds": 0.0, "peak_memory_bytes": 0}


class Worker:
    """Runs the tests and the program of one snippet after another, where `preload` has been imported once for all.

    A program that measures is run where nothing has been imported, as a reader's is.
    """

    def __init__(self, path: str, root: Path, variables: Mapping[str, str], preload: Sequence[str] = ()) -> None:
        self.prepared = Interpreter(path, root, variables, preload)
        self.bare = Interpreter(path, root, variables)

    def run_tests(self, arguments: Sequence[str], limits: Limits) -> ProcessResult:
        """Run pytest with these arguments."""
        return self.prepared.execute(arguments, limits, tests=True)

    def run_program(self, file: Path, limits: Limits, measures: bool = False) -> ProcessResult:
        """Run a file as a reader does."""
        return (self.bare if measures else self.prepared).execute([str(file)], limits, tests=False)

    @property
    def versions(self) -> Mapping[str, str]:
        """Of Python and of the packages that matter; known once something has been run."""
        return self.prepared.versions or self.bare.versions

    def close(self) -> None:
        """Let it go; it ends what it had started."""
        self.prepared.close()
        self.bare.close()


def text(file: Path, limit: int = 4 * OUTPUT_LIMIT) -> str:
    """What a process wrote into a file, the middle left out past twice `limit` bytes."""
    with file.open("rb") as stream:
        data = stream.read(limit)
        size = file.stat().st_size
        if size > limit:
            stream.seek(max(limit, size - limit))
            data += b"\n...\n" + stream.read()
    return data.decode("utf-8", errors="replace")
