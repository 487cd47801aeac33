"""Run one snippet: its tests, then the snippet itself as a reader runs it; say what happened."""

import os
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hexapla.examples.client import LOST, OUTPUT_LIMIT, Limits, ProcessResult, Worker
from hexapla.examples.evidence import Run, Status
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task

SKIP_EXIT = 75  # EX_TEMPFAIL: how a snippet says "cannot run here"; what it printed last is the reason
# The line of a traceback that names the exception; torchrun puts a rank in front, pytest an E.
EXCEPTION = re.compile(r"^(?:\[[\w:]+\]: *|E +)?((?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*)$", re.M)
TAKEN = re.compile("EADDRINUSE|address already in use", re.I)
PYTEST = ("-q", "-p", "no:cacheprovider", "--basetemp={folder}/pytest")


@dataclass(frozen=True, slots=True)
class RunContext:
    """Where a run takes place: the runner's name, and the device and driver as evidence names them."""

    root: Path
    snippets: Snippets
    runner: str
    device: str
    driver: str
    limits: Limits


def run(task: Task, venue: RunContext, worker: Worker) -> Run:
    """Run a task on a worker. Raises nothing that the snippet or its tests do."""
    tests: Sequence[str] = ()
    tested = program = None
    status, reason = (Status.FAILED, task.wanting) if task.wanting else (Status.RAN, "")
    if status is Status.RAN and task.test:
        tested = worker.run_tests([str(venue.root / task.test), f"--rootdir={venue.root}", *PYTEST], venue.limits)
        status, reason = judge_tests(tested, venue.limits)
        tests = passed(tested)
    if status is Status.RAN:
        program = worker.run_program(venue.snippets.root / task.snippet, venue.limits, task.belonging.measures)
        status, reason = judge(program, venue.limits)
    return Run(
        status=status,
        source=venue.snippets.hash(task.snippet),
        date=datetime.now(UTC).date().isoformat(),
        seconds=round(program.seconds, 1) if program else 0.0,
        peak_memory_bytes=program.peak_memory_bytes if program else 0,
        versions=worker.versions,
        output=program.output.rstrip() if program and status is Status.RAN else "",
        reason=reason,
        runner=venue.runner,
        device=venue.device,
        driver=venue.driver,
        tests=tests if status is Status.RAN else (),
        test_seconds=round(tested.seconds, 1) if tested else 0.0,
    )


def variables(device: str, threads: int) -> dict[str, str]:
    """A process's variables: no hub, no colours, accelerators out of sight where the CPU is asked for."""
    added = {
        "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", str(threads)),
    }
    # Left to look for itself, DeepSpeed prints what it found, with the time, into the snippet's output.
    hidden = {"CUDA_VISIBLE_DEVICES": "", "DS_ACCELERATOR": "cpu"}
    return added | (hidden if device == "cpu" else {})


def judge(ended: ProcessResult, limits: Limits) -> tuple[Status, str]:
    """Whether a program did what a snippet has to do: end by itself, with status 0, having printed a result."""
    if ended.code == SKIP_EXIT and not ended.limit:
        return Status.SKIPPED, next(iter(reversed(ended.output.splitlines())), "no reason given")
    wrong = ended_badly(ended, limits)
    if wrong:
        return Status.FAILED, wrong
    if len(ended.output) > OUTPUT_LIMIT:
        return Status.FAILED, f"printed more than {OUTPUT_LIMIT} characters"
    if not ended.output.strip():
        return Status.FAILED, "printed nothing, so it shows nothing"
    return Status.RAN, ""


def judge_tests(ended: ProcessResult, limits: Limits) -> tuple[Status, str]:
    """What the tests of a snippet come to: one has to have passed, and none failed, and pytest come to its own end."""
    for said in ended.report:
        if said.get("outcome") == "failed":
            return Status.FAILED, f"{said['test'] or 'its tests cannot be imported'}: {said['reason']}"
    if not any("finished" in said for said in ended.report):
        wrong = ended_badly(ended, limits) or f"ended with status {ended.code} before its tests had run"
        return Status.FAILED, f"its tests: {wrong}"
    if passed(ended):
        return Status.RAN, ""
    reasons = dict.fromkeys(str(said["reason"]) for said in ended.report if said.get("outcome") == "skipped")
    return (Status.SKIPPED, "; ".join(reasons)) if reasons else (Status.FAILED, "its test module has no tests")


def passed(ended: ProcessResult) -> tuple[str, ...]:
    """The tests that passed, without their parameters, each once."""
    names = (str(said["test"]).partition("[")[0] for said in ended.report if said.get("outcome") == "passed")
    return tuple(dict.fromkeys(names))


def ended_badly(ended: ProcessResult, limits: Limits) -> str:
    """Why a process did not end as it should, nothing where it did."""
    if ended.limit:
        return {
            "seconds": f"did not end within {limits.seconds:g} s",
            "memory": f"took more than {limits.memory_bytes / 2**30:g} GiB of memory",
            "output": f"printed more than {OUTPUT_LIMIT} characters",
            LOST: f"took the worker with it, which ended with status {ended.code}",
        }[ended.limit]
    if ended.code < 0:
        return f"was ended by signal {signal.Signals(-ended.code).name}"
    if ended.code:
        return f"ended with status {ended.code}: {last_words(ended.errors or ended.output)}"
    return ""


def last_words(errors: str) -> str:
    """What a process said that matters: the last exception, else the last line; and what to do, where that is known."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    said = next(iter(reversed(EXCEPTION.findall(errors))), lines[-1] if lines else "no message").strip()
    if TAKEN.search(errors):
        return f"{said}; another process has the port: start it with torchrun --standalone"
    return said


def counted(runs: Mapping[str, Run]) -> dict[Status, int]:
    """How many ended in each way."""
    return {status: sum(each.status is status for each in runs.values()) for status in Status}


def told(snippet: str, result: Run) -> Iterator[str]:
    """The lines of a report on one snippet."""
    mebibytes = result.peak_memory_bytes / 2**20
    yield f"{result.status:8} {result.test_seconds + result.seconds:6.1f} s  {mebibytes:7.0f} MiB  {snippet}"
    if result.reason:
        yield f"         {result.reason}"
