"""The files by which a host checks a tree at each change: a workflow, the tree's configuration, its baseline.

Where languages have owners, also whom a host asks to review a change, which labels it gets, and a weekly digest.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hexapla import __version__
from hexapla.config.checks_config import compares_all, own_settings
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.config.owners import find_owners
from hexapla.errors import ConfigError
from hexapla.files import join_inside, read_text
from hexapla.git import Repository
from hexapla.setup import read_template
from hexapla.setup.owner_lines import (
    LABEL_FILES,
    OWNER_FILES,
    SAFE_FOLDER,
    label_lines,
    lacking_lines,
    owned_paths,
    owner_lines,
)
from hexapla.translation.new_language import FileEdit, write_files

HOSTS = {"github": ".github/workflows/hexapla.yml", "gitlab": ".gitlab-ci.yml", "pre-commit": ".pre-commit-config.yaml"}
OWNED = {"github-digest": ".github/workflows/hexapla-digest.yml",  # written where a language has an owner
         "github-labels": ".github/workflows/hexapla-labels.yml", "gitlab-digest": ".gitlab/hexapla-digest.yml"}
MARKS = {"github": ".github", "gitlab": ".gitlab-ci.yml", "pre-commit": ".pre-commit-config.yaml"}  # of who is there
CONFIGURATION = "hexapla.toml"
BASELINE = ".hexapla-baseline.json"
INTRODUCTION = "# How hexapla reads this tree; change it as you like.\n[tool.hexapla]\nschema = 1"
LAST = "# at the end: the last line that fits a path counts\n"
UNFILLED = re.compile("your[-]organisation")  # so that a release, which fills it in elsewhere, leaves this as it is
IN_FOLDER = re.compile(r"\n *args: \[--root=FOLDER\]| --root=FOLDER")


class HostFile(NamedTuple):
    """A host's file in a repository; with `theirs` another text stands there, and `text` is what of ours it lacks."""

    path: str
    text: str
    theirs: bool = False


class CiPlan(NamedTuple):
    """The files of hosts to write below `top`, the repository's root, and the configuration below `root`, "" for none.

    `new_baseline` is the file that is to accept today's findings, or "".
    """

    root: Path
    top: Path
    hosts: tuple[HostFile, ...]
    configuration: str
    new_baseline: str

    @property
    def to_write(self) -> tuple[HostFile, ...]:
        """The files of hosts that are not there yet."""
        return tuple(each for each in self.hosts if not each.theirs and not (self.top / each.path).is_file())


def plan_ci(root: Path, options: TreeOptions, names: Iterable[str], found: bool) -> CiPlan:
    """What a tree lacks to be checked at each change; `found`: whether the check fails today. Raises ConfigError."""
    folder = Repository(root).prefix.rstrip("/")
    if folder and not SAFE_FOLDER.fullmatch(folder):
        raise ConfigError(f"{folder!r}: cannot be named in a workflow; give the folder a name of letters, digits and "
                          "any of . _ @ + -, and run this again")
    top = root.parents[folder.count("/")] if folder else root
    chosen = tuple(names) or tuple(name for name, mark in MARKS.items() if (top / mark).exists()) or ("github",)
    place, settings = own_settings(root)
    baseline = str(settings.get("baseline") or BASELINE)
    needed = (found or "baseline" in settings) and not (root / baseline).is_file()
    wanted = wanted_settings(options, {"baseline": BASELINE} if found and "baseline" not in settings else {})
    if settings or (root / CONFIGURATION).is_file():
        lacking = ", ".join(f"`{setting_line(each)}`" for each in wanted.items() if settings.get(each[0]) != each[1])
        if lacking:
            raise ConfigError(f"{place}: is yours and stays as it is; write {lacking} there, and run this again")
        wanted = {}
    hosts = (*(host_file(top, name, folder) for name in chosen), *owner_files(top, root, options, folder, chosen))
    plan = CiPlan(root, top, hosts, configuration_text(wanted, compares_all(root)), baseline * needed)
    for base, path in ((root, CONFIGURATION), (root, baseline), *((top, each.path) for each in plan.to_write)):
        join_inside(base, path)
        require_room(base, path)
    return plan


def require_room(base: Path, path: str) -> None:
    """Raise ConfigError where something else stands in the place of a file or of a folder above it."""
    file = base / path
    nearest = next(each for each in (file, *file.parents) if os.path.lexists(each))
    if not (nearest.is_file() if nearest == file else nearest.is_dir()):
        kind = "file" if nearest == file else "folder"
        raise ConfigError(f"{nearest.relative_to(base).as_posix()}: is no {kind}; rename it, and run this again")


def wanted_settings(options: TreeOptions, more: Mapping[str, object]) -> dict[str, object]:
    """What `[tool.hexapla]` has to say to read the tree as with these options; none leads to another repository."""
    given: dict[str, object] = options._replace(root=None, source_repo="")._asdict()
    return {**{name.replace("_", "-"): list(value) if isinstance(value, tuple) else value
               for name, value in given.items() if value}, **more}


def setting_line(setting: tuple[str, object]) -> str:
    """A setting as TOML has it."""
    name, value = setting
    return f"{name} = {json.dumps(value, ensure_ascii=False)}"


def configuration_text(wanted: Mapping[str, object], parity: bool) -> str:
    """The text of a hexapla.toml, "" where it has nothing to say; `parity` is kept as it is without the file."""
    if not wanted:
        return ""
    return "\n".join([
        INTRODUCTION, *map(setting_line, wanted.items()),
        f"{setting_line(('parity', parity))}  # whether translations are compared with their source in everything", ""])


def host_file(top: Path, name: str, folder: str) -> HostFile:
    """The file of a host; another's that names hexapla counts as ours. Raises ConfigError for an unreleased copy."""
    text = read_template(f"workflows/{name}.yml").replace("VERSION", __version__)
    text = text.replace("FOLDER", folder) if folder else IN_FOLDER.sub("", text)
    path = (HOSTS | OWNED)[name]
    there = read_text(top, path, errors="replace") if (top / path).is_file() else ""
    theirs = (top / path).is_file() and "hexapla" not in there
    if UNFILLED.search(text) and "hexapla" not in there:
        raise ConfigError(f"--for {name}: this copy of hexapla does not know its own repository, which {path} has to "
                          "name; use --for github or --for gitlab")
    return HostFile(path, text, theirs)


def owner_files(
    top: Path, root: Path, options: TreeOptions, folder: str, chosen: Iterable[str]
) -> Iterator[HostFile]:
    """The files by which hosts know owners, the labels and the digest. Raises ConfigError for a wrong language."""
    owners = find_owners(root)
    owned = owned_paths(find_layout(options._replace(root=root)), folder, owners) if owners.of else {}
    for name in chosen if owned else ():
        for places, lines, head in ((OWNER_FILES.get(name), owner_lines(owned, owners), LAST),
                                    (LABEL_FILES.get(name), label_lines(owned), "")):
            if places:
                path, lacking = lacking_lines(top, places, lines)
                theirs = (top / path).is_file() and bool(lacking)
                yield HostFile(path, head * theirs + "".join(f"{line}\n" for line in lacking), theirs)
        yield from (host_file(top, each, folder) for each in OWNED if each.startswith(f"{name}-"))


def write_ci(plan: CiPlan) -> None:
    """Write the configuration and the files of hosts that are not there. Raises ConfigError and OSError."""
    new = {plan.root / CONFIGURATION: plan.configuration} if plan.configuration else {}
    new |= {plan.top / each.path: each.text for each in plan.to_write}
    write_files(plan.top, {file: FileEdit(None, text.encode()) for file, text in new.items()})
