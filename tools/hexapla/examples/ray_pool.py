"""Run snippets on a Ray cluster: each is a Ray task with its resources, on any node that has them.

Every node has the same packages installed as this machine; the project's files and hexapla travel with the job.
"""

import logging
import socket
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hexapla
from hexapla.errors import ConfigError
from hexapla.examples import machine
from hexapla.examples.evidence import Hardware, Run, Status
from hexapla.examples.local_pool import RunContext, run_snippet, start_worker
from hexapla.examples.page_blocks import PageBlock
from hexapla.examples.provenance import describe_place
from hexapla.examples.result import TaskResult
from hexapla.examples.runners import Runner
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task

RETRIES = 3  # of a task whose node went away
PATIENCE = 5.0  # seconds between two looks at which nodes there are
Resources = Mapping[str, float]


def run_all(
    address: str, tasks: Sequence[Task], runner: Runner, device: str, context: RunContext
) -> Iterator[TaskResult]:
    """Run tasks on a cluster; yields results in the order in which they end. Raises ConfigError without a cluster."""
    ray = connect_cluster(address, context.root)
    remote = ray.remote(run_on_node)
    waiting: dict[Any, Task] = {}
    for task in tasks:
        wanted = list_needs(task, runner, device)
        if not some_node_has(wanted, ray):
            yield give_up(task, context, f"no node of the cluster has {describe_resources(wanted)}", Status.SKIPPED)
            continue
        options = {"num_cpus": wanted["CPU"], "num_gpus": wanted.get("GPU", 0), "max_retries": RETRIES}
        special = {name: amount for name, amount in wanted.items() if name not in {"CPU", "GPU"}}
        below = context.snippets.root.relative_to(context.root).as_posix()
        block = context.snippets.blocks.get(task.snippet)
        waiting[remote.options(**options, resources=special).remote(task, runner, device, below, block)] = task
    while waiting:
        ended, _ = ray.wait(list(waiting), timeout=PATIENCE)
        for reference in ended:
            task = waiting.pop(reference)
            try:
                yield TaskResult(task, *ray.get(reference))
            except ray.exceptions.RayError as error:
                yield give_up(task, context, next(iter(str(error).splitlines()), type(error).__name__))
        stranded = [each for each in waiting if not some_node_has(list_needs(waiting[each], runner, device), ray)]
        for reference in stranded if not ended else ():
            ray.cancel(reference)
            yield give_up(waiting.pop(reference), context, "the cluster lost every node that could run it")


def connect_cluster(address: str, root: Path) -> Any:
    """Connect to a cluster and give it the project's files and hexapla; returns the module ray. Raises ConfigError."""
    try:
        import ray
    except ModuleNotFoundError as missing:
        raise ConfigError("--ray needs the package ray; install it with `pip install 'hexapla[ray]'`") from missing
    files = {"working_dir": str(root), "py_modules": [str(Path(hexapla.__file__).parent)]}
    if not ray.is_initialized():
        try:
            host, _, port = address.rpartition(":")
            if host and port.isdigit() and "/" not in host:  # Ray itself would retry for minutes
                socket.create_connection((host, int(port)), timeout=10).close()
            ray.init(address=address, runtime_env=files, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, RuntimeError, ValueError) as error:
            reason = next(iter(str(error).splitlines()), "no answer")
            raise ConfigError(f"--ray {address}: {reason}; start a cluster with `ray start --head`") from error
    return ray


def some_node_has(wanted: Resources, ray: Any) -> bool:
    """Whether any live node has these resources, free or not; a task without such a node would wait for ever."""
    alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    return any(all(node.get(name, 0) >= amount for name, amount in wanted.items()) for node in alive)


def give_up(task: Task, context: RunContext, reason: str, status: Status = Status.FAILED) -> TaskResult:
    """The result of a task that no node has finished."""
    today = datetime.now(UTC).date().isoformat()
    source = context.snippets.hash(task.snippet)
    return TaskResult(task, Run(status, source, today, 0.0, 0, {}, "", reason, context.runner))


def list_needs(task: Task, runner: Runner, device: str) -> dict[str, float]:
    """The resources of a task: a core for each device on a CPU, else as many accelerators and their type."""
    count = float(task.requirements.devices)
    if device == "cpu":
        return {"CPU": count}
    wanted = {"CPU": 1.0, "GPU" if device == "gpu" else device.upper(): count}
    return wanted | ({f"accelerator_type:{runner.accelerator}": 0.001} if runner.accelerator else {})


def describe_resources(wanted: Resources) -> str:
    """Resources in words: `1 CPU and 2 GPU`."""
    return " and ".join(name if amount < 1 else f"{amount:g} {name}" for name, amount in wanted.items())


def run_on_node(
    task: Task, runner: Runner, device: str, below: str, block: PageBlock | None = None
) -> tuple[Run, Hardware]:
    """On a node, in a folder with the project's files: run one task; returns its run and the hardware."""
    hardware = machine.describe_hardware(device)
    if hardware is None:
        raise RuntimeError(f"the node has no {device} that can be described")
    root = Path.cwd()
    snippets = Snippets(root / below, blocks={task.snippet: block} if block else {})
    context = RunContext(root, snippets, runner.name, hardware.name, machine.driver_version(device), runner.limits,
                         describe_place(root, hardware))
    worker = start_worker(root, snippets.root, runner, device, task.requirements.devices)
    try:
        return run_snippet(task, context, worker), hardware
    finally:
        worker.close()
