"""What a run came to: the status of a snippet and of its tests, the reason for it, and what it printed otherwise."""

import difflib
import json
import math
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from hashlib import sha256
from typing import NamedTuple

from hexapla.examples.client import OUTPUT_LIMIT, WORKER_LOST, Limits, ProcessResult
from hexapla.examples.evidence import PNG, Hardware, Run, Status
from hexapla.examples.fork_server import MOST_PROCESSES, SPOILED
from hexapla.examples.markers import MarkerError
from hexapla.examples.tasks import Task

SKIP_EXIT = 75  # EX_TEMPFAIL: how a snippet says "cannot run here"; what it printed last is the reason
# The line of a traceback that names the exception; torchrun puts a rank in front, pytest an E.
EXCEPTION = re.compile(r"^(?:\[[\w:]+\]: *|E +)?((?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*)$", re.M)
PORT_TAKEN = re.compile("EADDRINUSE|address already in use", re.I)
# A number with its sign, thousands separators, fraction and exponent.
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
RELATIVE = 1e-3  # what another order of summation, on as many threads as there are, stays below
DAY = 86400.0  # seconds
DIGITS = 3  # from so many digits on, the last one may be rounded either way
LINES = 20  # of a difference; the rest is for a tool that shows files
PATTERN_SECONDS = 10.0  # that the patterns of a snippet's test may take on its outputs
# A process of its own: while a pattern is matched, nothing else in a process runs, and no thread is told of signals.
MASK = '''import json, re, sys
texts, patterns = json.load(sys.stdin)
for pattern in patterns:
    texts = [re.sub(pattern, "...", text) for text in texts]
json.dump(texts, sys.stdout)
'''


class TaskResult(NamedTuple):
    """A task's run and the hardware that it ran on; None for a task that ran nowhere."""

    task: Task
    run: Run
    hardware: Hardware | None = None


def program_status(ended: ProcessResult, limits: Limits, device: str) -> tuple[Status, str]:
    """Judge a program: it has to end by itself with status 0, having printed a result, and used the GPU if on one."""
    if ended.code == SKIP_EXIT and not ended.limit:
        return Status.SKIPPED, next(iter(reversed(ended.output.splitlines())), "no reason given")
    if reason := failure_reason(ended, limits):
        return Status.FAILED, reason
    if len(ended.output) > OUTPUT_LIMIT:
        return Status.FAILED, f"printed more than {OUTPUT_LIMIT} characters"
    if not ended.output.strip():
        return Status.FAILED, "printed nothing, so it shows nothing"
    if device == "gpu" and not allocated_bytes(ended):
        return Status.SKIPPED, "ran without allocating memory on the GPU, so it says nothing of it"
    return Status.RAN, ""


def tests_status(ended: ProcessResult, limits: Limits) -> tuple[Status, str]:
    """Judge the tests of a snippet, with the reason: one has passed, none has failed, and pytest ended by itself."""
    for test in ended.report:
        if test.get("outcome") == "failed":
            return Status.FAILED, f"{test['test'] or 'its tests cannot be imported'}: {test['reason']}"
    if not any("finished" in test for test in ended.report):
        reason = failure_reason(ended, limits) or f"ended with status {ended.code} before its tests had run"
        return Status.FAILED, f"its tests: {reason}"
    if passed_tests(ended):
        return Status.RAN, ""
    reasons = dict.fromkeys(str(test["reason"]) for test in ended.report if test.get("outcome") == "skipped")
    return (Status.SKIPPED, "; ".join(reasons)) if reasons else (Status.FAILED, "its test module has no tests")


def allocated_bytes(ended: ProcessResult) -> int:
    """The bytes that a program allocated on GPUs, all in all; what its own subprocesses allocated is not known."""
    return sum(int(line["allocated_bytes"]) for line in ended.report if "allocated_bytes" in line)


def passed_tests(ended: ProcessResult) -> tuple[str, ...]:
    """The names of the tests that passed, without their parameters, each once."""
    names = (str(test["test"]).partition("[")[0] for test in ended.report if test.get("outcome") == "passed")
    return tuple(dict.fromkeys(names))


def failure_reason(ended: ProcessResult, limits: Limits) -> str:
    """Why a process did not end with status 0 within its limits; empty for one that did."""
    if ended.limit:
        return {
            "seconds": f"did not end within {limits.seconds:g} s",
            "memory": f"took more than {limits.memory_bytes / 2**30:g} GiB of memory",
            "hidden": "hid from its memory limit how much it takes",
            "processes": f"had more than {MOST_PROCESSES} processes",
            "files": f"wrote files of more than {limits.memory_bytes / 2**30:g} GiB",
            "output": f"printed more than {OUTPUT_LIMIT} characters",
            SPOILED: "changed the limits, the priority or the cores of the process that starts all others",
            WORKER_LOST: f"took the worker with it, which ended with status {ended.code}",
        }[ended.limit]
    if ended.code < 0:
        return f"was ended by signal {signal.Signals(-ended.code).name}"
    if ended.code:
        return f"ended with status {ended.code}: {error_summary(ended.errors or ended.output)}"
    return ""


def error_summary(errors: str) -> str:
    """The last exception that a process printed, else its last line; and what to do about it, if that is known."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    last = next(iter(reversed(EXCEPTION.findall(errors))), lines[-1] if lines else "no message").strip()
    if PORT_TAKEN.search(errors):
        return f"{last}; another process has the port: start it with torchrun --standalone"
    return last


def repetition_problem(first: ProcessResult, second: ProcessResult, varies: Iterable[str], limits: Limits) -> str:
    """Why a program is not the same the second time, and how its test can say so; empty if it is."""
    if reason := failure_reason(second, limits):
        return f"the second time it {reason}"
    try:
        recorded, printed = mask_outputs([first.output, second.output], varies)
    except MarkerError as error:
        return str(error)
    times = zip(clock_times(recorded), clock_times(printed), strict=False)
    was, now = next((pair for pair in times if pair[0] != pair[1]), ("", ""))
    if not was:
        _, *lines = compare_outputs(recorded, printed) or [""]
        if not lines:
            return ""
        was, now = (next((line[1:].strip() for line in lines[1:] if line[0] == sign), "nothing") for sign in "-+")
    mark = "mark its test with pytest.mark.measures, or what may differ with pytest.mark.varies(PATTERN)"
    return f"printed {was!r}, and {now!r} the second time: {mark}, or make it print the same"


def report_lines(snippet: str, run: Run) -> Iterator[str]:
    mebibytes = run.peak_memory_bytes / 2**20
    yield f"{run.status:8} {run.test_seconds + run.seconds:6.1f} s  {mebibytes:7.0f} MiB  {snippet}"
    if run.reason:
        yield f"         {run.reason}"


def compare_outputs(recorded: str, printed: str, measured: bool = False, varies: Iterable[str] = ()) -> list[str]:
    """The lines in which two outputs differ but for `measured` numbers and what `varies`. Raises MarkerError."""
    recorded, printed = mask_outputs([name_pictures(each, measured) for each in (recorded, printed)], varies)
    old, new = recorded.splitlines(), printed.splitlines()
    agreed = [mine if lines_agree(yours, mine, measured) else yours for yours, mine in zip(old, new, strict=False)]
    agreed += old[len(new) :]
    lines = list(difflib.unified_diff(agreed, new, "recorded", "printed", lineterm="", n=1))
    return lines if len(lines) <= LINES else [*lines[:LINES], f"... and {len(lines) - LINES} lines more"]


def name_pictures(output: str, measured: bool = False) -> str:
    """An output with the digest of each PNG in its place, or with none where it shows what was measured.

    >>> name_pictures("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA")
    '[PNG sha256_1c6d3b3d5ea3]'
    """
    return PNG.sub(
        lambda png: "[PNG]" if measured else f"[PNG sha256_{sha256(png[0].encode()).hexdigest()[:12]}]", output)


def mask_outputs(outputs: Sequence[str], varies: Iterable[str]) -> Sequence[str]:
    """Outputs without what regular expressions match. Raises MarkerError where they take too long."""
    if not (patterns := list(varies)):
        return outputs
    command, given = [sys.executable, "-I", "-S", "-c", MASK], json.dumps([outputs, patterns])
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=PATTERN_SECONDS, text=True, check=True)
    except subprocess.SubprocessError as error:
        raise MarkerError(
            f"pytest.mark.varies({', '.join(map(repr, patterns))}) takes more than {PATTERN_SECONDS:g} s on what it "
            "printed; write a pattern in which no repetition stands in another one"
        ) from error
    masked: list[str] = json.loads(done.stdout)
    return masked


def clock_times(output: str) -> list[str]:
    """The seconds since 1970 in an output: two of one day would be the same number within the tolerance."""
    now = time.time()
    return [number for number in NUMBER.findall(output) if abs(float(number.replace(",", "")) - now) < DAY]


def lines_agree(recorded: str, printed: str, measured: bool) -> bool:
    """Whether two lines agree; spaces that only align columns do not count."""
    if [each.split() for each in NUMBER.split(recorded)] != [each.split() for each in NUMBER.split(printed)]:
        return False
    pairs = zip(NUMBER.findall(recorded), NUMBER.findall(printed), strict=True)
    return measured or all(numbers_agree(yours, mine) for yours, mine in pairs)


def numbers_agree(recorded: str, printed: str) -> bool:
    """Whether two numbers are the same within the tolerance; whole numbers have to be equal."""
    written = [number.replace(",", "") for number in (recorded, printed)]
    yours, mine = map(Decimal, written)
    if all(number.lstrip("+-").isdigit() for number in written):
        return yours == mine
    exponents = (int(number.as_tuple().exponent) for number in (yours, mine))  # of the last digit: -2 for 1.25
    last = 10.0 ** max(exponents) if len(yours.as_tuple().digits) >= DIGITS else 0.0
    return math.isclose(yours, mine, rel_tol=RELATIVE, abs_tol=last * 1.01)
