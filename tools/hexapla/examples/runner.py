"""Run one snippet: its tests, then the program itself as a reader runs it."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from hexapla.examples.client import Limits, Worker
from hexapla.examples.evidence import Run, Status
from hexapla.examples.result import allocated_bytes, passed_tests, program_status, tests_status
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task

PYTEST = ("-q", "-p", "no:cacheprovider", "--basetemp={folder}/pytest")


class RunContext(NamedTuple):
    """What the runs of one runner share: the project, the runner's name, and device and driver as evidence has them."""

    root: Path
    snippets: Snippets
    runner: str
    device: str
    driver: str
    limits: Limits


def run(task: Task, context: RunContext, worker: Worker) -> Run:
    """Run a task on a worker. Failures of the snippet and of its tests are in the run; they raise nothing."""
    tests: Sequence[str] = ()
    tested = program = None
    problem = task.problem or worker.device_problem
    status, reason = (Status.FAILED, problem) if problem else (Status.RAN, "")
    if status is Status.RAN and task.test:
        arguments = [str(context.root / task.test), f"--rootdir={context.root}", *PYTEST]
        tested = worker.run_tests(arguments, context.limits)
        status, reason = tests_status(tested, context.limits)
        tests = passed_tests(tested)
    if status is Status.RAN:
        program = worker.run_program(context.snippets.root / task.snippet, context.limits, task.requirements.measures)
        status, reason = program_status(program, context.limits, worker.device)
    return Run(
        status=status,
        source=context.snippets.hash(task.snippet),
        date=datetime.now(UTC).date().isoformat(),
        seconds=round(program.seconds, 1) if program else 0.0,
        peak_memory_bytes=program.peak_memory_bytes if program else 0,
        versions=worker.versions,
        output=program.output.rstrip() if program and status is Status.RAN else "",
        reason=reason,
        runner=context.runner,
        device=context.device,
        driver=context.driver,
        tests=tests if status is Status.RAN else (),
        test_seconds=round(tested.seconds, 1) if tested else 0.0,
        allocated_bytes=allocated_bytes(program) if program else 0,
    )


def process_variables(device: str, threads: int) -> dict[str, str]:
    """The environment variables of a run: offline, without colours, and for the CPU with accelerators hidden."""
    added = {
        "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", str(threads)),
    }
    # Left to look for itself, DeepSpeed prints what it found, with the time, into the snippet's output.
    hidden = {"CUDA_VISIBLE_DEVICES": "", "DS_ACCELERATOR": "cpu"}
    # Asked through CUDA whether there is a GPU, an import would leave CUDA unusable in every fork.
    asked = {"PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
    return added | {"cpu": hidden, "gpu": asked}.get(device, {})
