"""Run one snippet in a process of its own, with a limit on its time and on what it prints."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO

from hexapla.examples.evidence import Run, Status
from hexapla.examples.machine import versions
from hexapla.examples.snippets import Snippets

OUTPUT_LIMIT = 64 * 1024  # characters: more is a log, not an example's output
SKIP_EXIT = 75  # EX_TEMPFAIL: how a snippet says "cannot run here"; what it printed last is the reason


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit status or minus a signal's number, None where it ran out of time."""

    code: int | None
    seconds: float
    peak_memory_bytes: int
    output: str
    errors: str


def run(snippets: Snippets, path: str, kind: str, timeout: float) -> Run:
    """Run `path` on hardware of `kind` and say what happened. Raises nothing that the snippet does."""
    source = snippets.hash(path)
    ended = execute([sys.executable, str(snippets.root / path)], environment(kind), timeout)
    status, reason = judge(ended, timeout)
    return Run(
        status=status,
        source=source,
        date=datetime.now(UTC).date().isoformat(),
        seconds=round(ended.seconds, 1),
        peak_memory_bytes=ended.peak_memory_bytes,
        versions=versions(),
        output=ended.output.rstrip() if status is Status.RAN else "",
        reason=reason,
    )


def environment(kind: str) -> dict[str, str]:
    """The process's variables: no hub, no colours, the GPU out of sight where the CPU is asked for."""
    added = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    if kind == "cpu":
        added["CUDA_VISIBLE_DEVICES"] = ""
    return {**os.environ, **added}


def judge(ended: Ended, timeout: float) -> tuple[Status, str]:
    """Whether the process did what a snippet has to do: end by itself, with status 0, having printed a result."""
    last = next((line for line in reversed(ended.errors.splitlines()) if line.strip()), "no message")
    if ended.code is None:
        return Status.FAILED, f"did not end within {timeout:g} s"
    if ended.code == SKIP_EXIT:
        return Status.SKIPPED, next(iter(reversed(ended.output.splitlines())), "no reason given")
    if ended.code < 0:
        return Status.FAILED, f"was ended by signal {signal.Signals(-ended.code).name}"
    if ended.code:
        return Status.FAILED, f"ended with status {ended.code}: {last.strip()}"
    if len(ended.output) > OUTPUT_LIMIT:
        return Status.FAILED, f"printed more than {OUTPUT_LIMIT} characters"
    if not ended.output.strip():
        return Status.FAILED, "printed nothing, so it shows nothing"
    return Status.RAN, ""


def execute(command: list[str], variables: dict[str, str], timeout: float) -> Ended:
    """Run a command in an empty folder of its own; at `timeout` seconds it and its children are ended."""
    with (
        tempfile.TemporaryDirectory(prefix="hexapla-") as folder,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        started = time.monotonic()
        process = subprocess.Popen(
            command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
            start_new_session=True,
        )
        code, peak = wait(process, started + timeout)
        seconds = time.monotonic() - started
        return Ended(code, seconds, peak, text(output), text(errors))


def wait(process: subprocess.Popen[bytes], deadline: float) -> tuple[int | None, int]:
    """The exit status (None past the deadline) and the peak memory in bytes, from the kernel's own account."""
    pause = 0.01
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        if time.monotonic() > deadline:
            os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            return None, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.25)


def text(stream: IO[bytes], limit: int = 4 * OUTPUT_LIMIT) -> str:
    """What a process wrote, the middle left out past `limit` bytes."""
    data = os.pread(stream.fileno(), limit, 0)
    size = os.fstat(stream.fileno()).st_size
    if size > limit:
        data += b"\n...\n" + os.pread(stream.fileno(), limit, max(limit, size - limit))
    return data.decode("utf-8", errors="replace")
