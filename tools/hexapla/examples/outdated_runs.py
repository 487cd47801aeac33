"""The tree as it is now: what has changed in it since a run was recorded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hexapla.examples.evidence import NEED, Run, RunState, Status
from hexapla.examples.provenance import hash_files, lock_hash, normal_name, read_pins
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task, task_of


@dataclass(slots=True)
class CurrentTree:
    """A project's files and pins, each read once, that runs are held to."""

    root: Path
    snippets: Snippets
    _hashes: dict[str, str] = field(default_factory=dict)
    _pins: dict[str, Mapping[str, str]] = field(default_factory=dict)
    _tasks: dict[str, Task] = field(default_factory=dict)

    def state(self, path: str, run: Run | None) -> RunState:
        """The state of a snippet's last run on a hardware."""
        if run is None:
            return RunState.NOT_RUN
        if self.change_since(path, run):
            return RunState.CHANGED
        return RunState.PARTLY if run.status is Status.RAN and NEED.search(run.output) else RunState(run.status.value)

    def change_since(self, path: str, run: Run) -> str:
        """What a run is a function of and is not as it was, as the end of a sentence; empty for a run that stands.

        Another version of a library is not that, as machines have theirs; another major version is.
        """
        for file, recorded in run.files.items():
            if self.hash(file) != recorded:
                return f"{file} has changed"
        if run.source != self.snippets.hash(path):
            below = self.snippets.root.relative_to(self.root).as_posix()
            needed = {f"{below}/{name}" for name in self.snippets.files(path)}
            if not needed or not needed <= run.files.keys():  # else each file that the hash is of is as it was
                return "its code has changed"
        pins = self.pins(self.task(path).requirements.environment)
        if run.lock and lock_hash(pins, run.versions, run.distributions) != run.lock:
            return "other versions are pinned of what it imports"
        for name in sorted(self.snippets.packages(path) & run.versions.keys()):
            pinned, version = pins.get(normal_name(run.distributions.get(name, name)), ""), run.versions[name]
            if pinned and major_version(pinned) != major_version(version):
                return f"it ran with {name} {version}, and {pinned} is pinned"
        return ""

    def task(self, path: str) -> Task:
        if path not in self._tasks:
            self._tasks[path] = task_of(self.root, path, self.snippets.blocks.get(path))
        return self._tasks[path]

    def hash(self, file: str) -> str:
        """The hash of a file, empty where it is gone."""
        if file not in self._hashes:
            self._hashes[file] = hash_files(self.root, [file]).get(file, "")
        return self._hashes[file]

    def pins(self, environment: str) -> Mapping[str, str]:
        if environment not in self._pins:
            self._pins[environment] = read_pins(self.root, self.snippets.root, environment)
        return self._pins[environment]


def major_version(version: str) -> tuple[str, ...]:
    """The part of a version that says what is compatible: `2`, and `0.18` of what has not come to 1."""
    first, _, rest = version.partition(".")
    return (first, rest.partition(".")[0]) if first == "0" else (first,)
