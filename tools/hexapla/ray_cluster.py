"""Connect to a Ray cluster, whose nodes have the same packages as this machine; a job brings the project's files."""

import logging
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import hexapla
from hexapla.errors import ConfigError

RETRIES = 3  # of a task whose node went away
BATCH_RETRIES = 1  # of a task with several items; then each item has a task
CORE = {"CPU": 1.0}  # what a task with several items needs
PATIENCE = 5.0  # seconds between two looks at which nodes there are
Resources = Mapping[str, float]
Item = TypeVar("Item")


class LostItem(NamedTuple):
    """Why an item has no result: `told` by the task itself, else by how its process ended."""

    reason: str
    told: bool


def connect(address: str, root: Path, asked: str = "--ray", staying: Sequence[Path] = ()) -> Any:
    """Connect to a cluster and give it the project's files and hexapla; returns the module ray. Raises ConfigError.

    `asked` is what named the cluster; folders that are `staying` are not sent, nor is what .gitignore names.
    """
    try:
        import ray
    except ModuleNotFoundError as missing:
        raise ConfigError(f"{asked} needs the package ray; install it with `pip install 'hexapla[ray]'`") from missing
    package = Path(hexapla.__file__).parent
    excludes = [pattern for each in staying if each.is_relative_to(root) for pattern in patterns(each, root, package)]
    files = {"working_dir": str(root), "py_modules": [str(package)], "excludes": excludes}
    if not ray.is_initialized():
        try:
            check_reachable(address)
            ray.init(address=address, runtime_env=files, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, RuntimeError, ValueError) as error:
            reason = next(iter(str(error).splitlines()), "no answer")
            raise ConfigError(f"{asked} {address}: {reason}; start a cluster with `ray start --head`") from error
    return ray


def patterns(path: Path, root: Path, package: Path) -> list[str]:
    """What leaves a path out of the files of `root`, but nothing out of `package`: Ray matches both by one list."""
    below = path.relative_to(root)
    if not (package / below).exists():
        return [f"/{below.as_posix()}"]
    return [each for child in path.iterdir() for each in patterns(child, root, package)] if path.is_dir() else []


def check_reachable(address: str) -> None:
    """Raise OSError if nothing listens at `host:port`; Ray itself would retry for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()


def some_node_has(wanted: Resources, ray: Any) -> bool:
    """Whether any live node has these resources, free or not; a task without such a node would wait for ever."""
    alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    return any(all(node.get(name, 0) >= amount for name, amount in wanted.items()) for node in alive)


def batches(ray: Any, items: Sequence[Item], most: int) -> Iterator[Sequence[Item]]:
    """Items in batches of at most so many, small enough that each core of the cluster gets two."""
    cores = int(ray.cluster_resources().get("CPU", 1))
    size = max(1, min(most, len(items) // (2 * max(1, cores))))
    return (items[at:at + size] for at in range(0, len(items), size))


def results_of_batches(
    ray: Any, start: Callable[[Sequence[Item], int], Any], all_batches: Iterable[Sequence[Item]], asked: str
) -> Iterator[tuple[Item, Any]]:
    """Every item with its result, or as a LostItem, as tasks end. Raises ConfigError where no node is left.

    `start` makes the task of a batch, to be run again so many times where its node goes away. Where a task ends its
    process each item gets a task of its own, so that the one that did it is found.
    """
    running = {start(batch, BATCH_RETRIES if len(batch) > 1 else RETRIES): batch for batch in all_batches}
    try:
        while running:
            ended, _ = ray.wait([*running], timeout=PATIENCE)
            for reference in ended:
                batch = running.pop(reference)
                results = results_of_task(ray, reference, batch)
                if results is None:
                    running |= {start([item], RETRIES): [item] for item in batch}
                else:
                    yield from results
            if not ended and not some_node_has(CORE, ray):
                raise ConfigError(f"{asked}: the cluster has no node with a CPU; add one with `ray start`")
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


def results_of_task(ray: Any, reference: Any, batch: Sequence[Item]) -> list[tuple[Item, Any]] | None:
    """Each item of a task that ended with its result, None where it ended its process and has several items."""
    try:
        return list(zip(batch, ray.get(reference), strict=True))
    except (ray.exceptions.RayTaskError, ray.exceptions.RuntimeEnvSetupError) as error:  # any process would end so
        told = str(getattr(error, "cause", error) if isinstance(error, ConfigError) else error)
        lines = [line for line in told.splitlines() if line.strip()] or [type(error).__name__]
        return [(item, LostItem(lines[-1].strip(), told=True)) for item in batch]
    except ray.exceptions.RayError as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        return None if len(batch) > 1 else [(batch[0], LostItem(reason, told=False))]
