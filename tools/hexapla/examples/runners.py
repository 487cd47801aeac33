"""The runners of a project, from `[tool.hexapla.runners]` in pyproject.toml, and which snippets belong to each.

    [tool.hexapla.runners.gpu-many]
    device = "gpu"          # cpu, gpu or tpu
    devices = "many"        # the snippets whose test needs more than one; without it, the others
    environment = "jax"     # the pins snippets/environments/jax.txt; without it, hexapla's own environment
    minimum = "all"         # how many have to run for the runner to have kept its promise, or a number
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.config.checks_config import pyproject_settings
from hexapla.errors import ConfigError
from hexapla.examples.client import Limits
from hexapla.examples.markers import CORE, Requirements

DEVICES = ("cpu", "gpu", "tpu")
# https://docs.github.com/en/actions/reference/runners/github-hosted-runners: the labels of its own machines.
HOSTED = re.compile(r"(ubuntu|windows|macos)-(latest|slim|[0-9]+(\.[0-9]+)?)(-arm|-intel|-large|-xlarge)?")


ALL = -1  # as a runner's minimum
KINDS: Mapping[type, tuple[type, ...]] = {float: (int, float), tuple: (list,)}  # what TOML has for a field's type
EXAMPLES: Mapping[type, str] = {str: '"cpu"', int: "2", float: "8", tuple: '["one", "two"]'}


class Runner(NamedTuple):
    """A device and an environment that snippets run on; `stand_in` is the device to use on a machine without it.

    `accelerator` is the type that Ray knows its nodes by; `minimum` is how many have to run, or ALL; `jobs` is how many
    run at a time (0: one a core on a CPU, one elsewhere); `preload` is imported once for all; `shards` and `labels` are
    for CI. `network` is the user's to give, no tree's.
    """

    name: str
    device: str = "cpu"
    stand_in: str = ""
    environment: str = CORE
    devices: str = "one"
    accelerator: str = ""
    minimum: int = 0
    seconds: float = 300
    memory_gib: float = 8
    jobs: int = 0
    preload: tuple[str, ...] = ()
    shards: int = 1
    labels: tuple[str, ...] = ("ubuntu-latest",)
    network: bool = False

    @property
    def limits(self) -> Limits:
        return Limits(self.seconds, int(self.memory_gib * 2**30))

    @property
    def hosted(self) -> bool:
        """Whether it runs on machines that GitHub hosts, which may run anybody's code: by labels and device."""
        theirs = bool(self.labels) and all(HOSTED.fullmatch(str(label)) for label in self.labels)
        return theirs and (self.device == "cpu" or bool(self.stand_in))

    def takes(self, requirements: Requirements) -> bool:
        """Whether it runs snippets with these requirements."""
        if self.environment != CORE or requirements.environment != CORE:
            return self.environment == requirements.environment
        return requirements.device in {"", self.device} and (requirements.devices > 1) == (self.devices == "many")


def read_runners(root: Path) -> dict[str, Runner]:
    """Read the project's runners by name; the CPU alone if it names none. Raises ConfigError."""
    file = root / "pyproject.toml"
    table = pyproject_settings(file).get("runners") or {"cpu": {}}
    return {name: read_runner(name, given, file) for name, given in table.items()}


def read_runner(name: str, given: Mapping[str, Any], file: Path) -> Runner:
    """Read one runner of the table. Raises ConfigError for an unknown key or device."""
    where = f"{file}: tool.hexapla.runners.{name}"
    known = {*Runner._fields} - {"name", "network"}
    given = {key: ALL if (key, value) == ("minimum", "all") else value for key, value in given.items()}
    for key, value in given.items():
        if key not in known:
            raise ConfigError(f"{where} has the key {key!r}; there are {', '.join(sorted(known))}")
        kind = type(Runner._field_defaults[key])
        if not isinstance(value, KINDS.get(kind, kind)) or isinstance(value, bool):
            raise ConfigError(f"{where}.{key} is {value!r}; write it as in {key} = {EXAMPLES[kind]}")
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    made = Runner(name, **values)
    for device in filter(None, (made.device, made.stand_in)):
        if device not in DEVICES:
            raise ConfigError(f"{where} names the device {device!r}; there are {', '.join(DEVICES)}")
    return made


def select_runners(table: Mapping[str, Runner], names: Sequence[str]) -> list[Runner]:
    """Select runners by name; without names, those that need neither an accelerator nor an environment."""
    for name in names:
        if name not in table:
            raise ConfigError(f"there is no runner {name!r}; there are {', '.join(table)}")
    if names:
        return [table[name] for name in dict.fromkeys(names)]
    return [each for each in table.values() if each.device == "cpu" and each.environment == CORE]
