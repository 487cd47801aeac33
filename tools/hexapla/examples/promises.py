"""What a snippet is held to on this machine, and what it is not: the lines of `hexapla run --plan`."""

from collections.abc import Iterator
from typing import NamedTuple

from hexapla.examples import sandbox
from hexapla.examples.client import INHERITED

MISSING = "NOT HELD HERE"


class Promise(NamedTuple):
    """One thing that a snippet is held to: in words, whether it is here, and what it needs."""

    name: str
    words: str
    kept: bool
    needs: str


def describe_promises(network: bool) -> Iterator[str]:
    """A line for each promise: what is held, or what this machine lacks for it."""
    here = sandbox.held()
    landlock = "Linux {} with Landlock"
    any_scope = here.namespaces or here.landlock >= sandbox.SCOPES
    reached = "all of this machine's, as --network says" if network else "only its own processes, by loopback"
    table = (
        Promise("writes", "only its own folder, its shared memory and a cache; on a GPU, files of processes in /proc",
                here.namespaces or here.landlock >= sandbox.WRITES, f"{landlock.format(6.2)}, or user namespaces"),
        Promise("modes", "no mode, owner or time of a file elsewhere is changed", here.namespaces, "user namespaces"),
        Promise("signals", "only its own processes", any_scope, f"{landlock.format(6.12)}, or user namespaces"),
        Promise("sees", "only its own processes", here.namespaces, "user namespaces"),
        Promise("network", reached, here.namespaces or network, "user namespaces"),
        Promise("shared", "what it leaves in /dev/shm counts as memory, and is removed", here.namespaces,
                "user namespaces"),
        Promise("reads", "all that you may read", True, ""),
        Promise("told", f"of your environment {', '.join(INHERITED)}", True, ""),
    )
    for each in table:
        yield f"{each.name:8} " + (each.words if each.kept else f"{MISSING}: {each.words}; that needs {each.needs}")
