"""Connect to a Ray cluster, whose nodes have the same packages as this machine; a job brings the project's files."""

import logging
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import hexapla
from hexapla.errors import ConfigError

RETRIES = 3  # of a task whose node went away
PATIENCE = 5.0  # seconds between two looks at which nodes there are
Resources = Mapping[str, float]


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
