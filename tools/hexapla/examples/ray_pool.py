"""Run snippets on the machines of a Ray cluster: each is a task with its resources, on any node that has them.

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
from hexapla.examples.local_pool import Result, hire
from hexapla.examples.runner import RunContext, run
from hexapla.examples.runners import Runner
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task

RETRIES = 3  # of a task whose node went away
PATIENCE = 5.0  # seconds between two looks at which nodes there are
Resources = Mapping[str, float]


def run_all(address: str, tasks: Sequence[Task], runner: Runner, device: str, venue: RunContext) -> Iterator[Result]:
    """Each task's result, in the order in which they end. Raises ConfigError where there is no such cluster."""
    ray = connected(address, venue.root)
    remote = ray.remote(on_node)
    waiting: dict[Any, Task] = {}
    for task in tasks:
        wanted = resources(task, runner, device)
        if not anywhere(wanted, ray):
            yield lost(task, venue, f"no node of the cluster has {spoken(wanted)}", Status.SKIPPED)
            continue
        options = {"num_cpus": wanted["CPU"], "num_gpus": wanted.get("GPU", 0), "max_retries": RETRIES}
        special = {name: amount for name, amount in wanted.items() if name not in {"CPU", "GPU"}}
        below = venue.snippets.root.relative_to(venue.root).as_posix()
        waiting[remote.options(**options, resources=special).remote(task, runner, device, below)] = task
    while waiting:
        ended, _ = ray.wait(list(waiting), timeout=PATIENCE)
        for reference in ended:
            yield result(waiting.pop(reference), reference, venue, ray)
        stranded = [each for each in waiting if not anywhere(resources(waiting[each], runner, device), ray)]
        for reference in stranded if not ended else ():
            ray.cancel(reference)
            yield lost(waiting.pop(reference), venue, "the cluster lost every node that could run it")


def result(task: Task, reference: Any, venue: RunContext, ray: Any) -> Result:
    """What a task that has ended came to."""
    try:
        run, hardware = ray.get(reference)
        return Result(task, run, hardware)
    except ray.exceptions.RayError as error:
        return lost(task, venue, next(iter(str(error).splitlines()), type(error).__name__))


def lost(task: Task, venue: RunContext, reason: str, status: Status = Status.FAILED) -> Result:
    """The result of a task that no node has brought to an end."""
    today = datetime.now(UTC).date().isoformat()
    return Result(task, Run(status, venue.snippets.hash(task.snippet), today, 0.0, 0, {}, "", reason, venue.runner))


def anywhere(wanted: Resources, ray: Any) -> bool:
    """Whether a node that is there has as much, free or not; otherwise the task would wait for ever."""
    alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    return any(all(node.get(name, 0) >= amount for name, amount in wanted.items()) for node in alive)


def connected(address: str, root: Path) -> Any:
    """Ray, connected to a cluster that is given the project's files. Raises ConfigError."""
    try:
        import ray
    except ModuleNotFoundError as missing:
        raise ConfigError("--ray needs the package ray; install it with `pip install 'hexapla[ray]'`") from missing
    files = {"working_dir": str(root), "py_modules": [str(Path(hexapla.__file__).parent)]}
    if not ray.is_initialized():
        try:
            reach(address)
            ray.init(address=address, runtime_env=files, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError) as error:
            reason = next(iter(str(error).splitlines()), "no answer")
            raise ConfigError(f"--ray {address}: {reason}; start a cluster with `ray start --head`") from error
    return ray


def reach(address: str) -> None:
    """Raise OSError where nothing listens at `host:port`; Ray itself would ask for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()


def resources(task: Task, runner: Runner, device: str) -> dict[str, float]:
    """What a node has to have: a core for each device on a CPU; else as many accelerators, and their type."""
    count = float(task.belonging.devices)
    if device == "cpu":
        return {"CPU": count}
    wanted = {"CPU": 1.0, "GPU" if device == "gpu" else device.upper(): count}
    return wanted | ({f"accelerator_type:{runner.accelerator}": 0.001} if runner.accelerator else {})


def spoken(wanted: Resources) -> str:
    """`1 CPU and 2 GPU` of what is wanted."""
    return " and ".join(name if amount < 1 else f"{amount:g} {name}" for name, amount in wanted.items())


def on_node(task: Task, runner: Runner, device: str, below: str) -> tuple[Run, Hardware]:
    """On a node, in a folder with the project's files: the run of one task, and the hardware it ran on."""
    hardware = machine.describe(device)
    if hardware is None:
        raise RuntimeError(f"the node has no {device} that can be described")
    root = Path.cwd()
    snippets = Snippets(root / below)
    venue = RunContext(root, snippets, runner.name, hardware.name, machine.driver(device), runner.limits)
    worker = hire(root, snippets.root, runner, device, task.belonging.devices)
    try:
        return run(task, venue, worker), hardware
    finally:
        worker.close()
