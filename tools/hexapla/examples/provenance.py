"""What a run was made of: files of the tree, versions and their pins, the processor, the commit, the job."""

import importlib.metadata
import os
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.examples import machine
from hexapla.examples.client import ProcessResult
from hexapla.examples.evidence import Hardware, source_hash
from hexapla.examples.markers import CORE
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task
from hexapla.files import OutsideError, read_file, read_text
from hexapla.git import Repository

# Where a project's versions are pinned, the first that it has; runners of other environments have pins of their own.
LOCKS = ("constraints.txt", "uv.lock", "poetry.lock", "pylock.toml", "requirements.txt")
PIN = re.compile(r'^(?:([\w.-]+)(?:\[[\w.,-]+\])? *== *([\w.+!-]+)|name = "([\w.-]+)"\nversion = "([^"]+)")', re.M)
# How CI services name the address of a job; GitHub gives it in parts.
JOBS = ("CI_JOB_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL", "BUILD_URL")
SHARED_TESTS = re.compile(r"tests/(?:.*/)?(?:conftest|__init__)\.py")  # what pytest imports for all tests of a folder
GITHUB_JOB = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")


class Place(NamedTuple):
    """Where runs are recorded, as evidence has it: devices or cores, the processor's instructions, commit, CI job."""

    cores: int = 0
    cpu: str = ""
    commit: str = ""
    job: str = ""


def describe_place(root: Path, hardware: Hardware) -> Place:
    """The place that runs on this machine are recorded in; no commit where code or pins differ from it."""
    parts = [os.environ.get(name, "") for name in GITHUB_JOB]
    github = "{}/{}/actions/runs/{}".format(*parts) if all(parts) else ""
    job = github or next(filter(None, map(os.environ.get, JOBS)), "")
    repository = Repository(root)
    own = not any(path.endswith((".py", ".txt", ".toml", ".lock")) for path in repository.uncommitted)
    return Place(hardware.cores, machine.processor_instructions(), (repository.head or "") if own else "", job)


def describe_run(
    task: Task, root: Path, snippets: Snippets, packages: Mapping[str, tuple[str, str]],
    tested: ProcessResult | None, program: ProcessResult | None,
) -> dict[str, Any]:
    """The fields of a run that say what it was made of, from what its processes report; `packages` are installed."""
    said = [line for ended in (tested, program) if ended for line in ended.report if "modules" in line]
    last = said[-1] if said and program else {"modules": [], "runtime": {}}
    below = snippets.root.relative_to(root).as_posix()
    own = {f"{below}/{name}" for name in snippets.files(task.snippet)} | test_files(task.test)
    imported = {file for line in said for file in line["files"] if not SHARED_TESTS.fullmatch(file)}
    named = named_distributions(root)
    loaded = {normal_name(packages[name][0]): name for name in last["modules"] if name in packages}
    loaded |= {normal_name(name): name for name in last["modules"] if name in packages}
    wanted = {"python", *snippets.packages(task.snippet), *(name for owner, name in loaded.items() if owner in named)}
    found = {name: packages[name] for name in sorted(wanted & packages.keys())}
    others = {name: owner for name, (owner, _) in found.items() if normal_name(owner) != normal_name(name)}
    return {
        "versions": {name: version for name, (_, version) in found.items()},
        "distributions": others,
        "files": hash_files(root, own | imported),
        "lock": lock_hash(read_pins(root, snippets.root, task.requirements.environment), found, others),
        "runtime": last["runtime"],
    }


def test_files(test: str) -> set[str]:
    """A test and each conftest.py that is for tests of snippets alone; what the whole suite shares changes too often.

    >>> sorted(test_files("tests/snippets/demo/test_add.py"))[:2]
    ['tests/snippets/conftest.py', 'tests/snippets/demo/conftest.py']
    """
    folders = [folder.as_posix() for folder in Path(test).parents if folder.is_relative_to("tests/snippets")]
    return {test, *(f"{folder}/conftest.py" for folder in folders)} if test else set()


def hash_files(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """The hashes of those files of a tree that are there."""
    found = {}
    for path in sorted(paths):
        with suppress(OSError, OutsideError):
            found[path] = source_hash(read_file(root, path))
    return found


def read_pins(root: Path, snippets: Path, environment: str) -> Mapping[str, str]:
    """The versions that a project pins for an environment, by the normal name of the distribution."""
    own = [snippets / "environments" / f"{environment}.txt"]
    files = [root / name for name in LOCKS] if environment == CORE else own
    file = next((each for each in files if each.is_file()), None)
    found = PIN.findall(read_text(root, file, "replace")) if file else []
    return {normal_name(name or other): version or locked for name, version, other, locked in found}


def lock_hash(pins: Mapping[str, str], names: Collection[str], distributions: Mapping[str, str]) -> str:
    """The hash of the pins of some imported names, empty where none is pinned."""
    owners = {normal_name(distributions.get(name, name)) for name in names}
    lines = "".join(f"{name}=={pins[name]}\n" for name in sorted(owners & pins.keys()))
    return source_hash(lines.encode()) if lines else ""


@lru_cache(maxsize=8)
def named_distributions(root: Path) -> frozenset[str]:
    """The normal names of the distributions that a project's pyproject.toml names, but what hexapla itself needs."""
    try:
        project = tomllib.loads(read_text(root, root / "pyproject.toml")).get("project", {})
        groups = [project.get("dependencies", []), *project.get("optional-dependencies", {}).values()]
    except (OSError, ValueError, AttributeError):
        return frozenset()
    ours: list[str] = []
    with suppress(importlib.metadata.PackageNotFoundError):  # run out of a clone, without an installation
        ours = [each for each in importlib.metadata.requires("hexapla") or () if "extra ==" not in each]
    found, own = ({normal_name(name[0]) for each in lines if (name := re.match(r"[\w.-]+", str(each)))}
                  for lines in ([each for group in groups for each in group], ours))
    return frozenset(found - own)


def normal_name(distribution: str) -> str:
    """A distribution's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()
