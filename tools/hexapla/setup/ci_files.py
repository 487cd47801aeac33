"""The files by which a host checks a tree at each change: a workflow, the tree's configuration, its baseline.

Where languages have owners, also whom a host asks to review a change, which labels it gets, and a weekly digest.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hexapla import __version__
from hexapla.config.checks_config import own_settings
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.config.layout import RECORDS, Layout
from hexapla.config.owners import Owners, find_owners
from hexapla.errors import ConfigError
from hexapla.files import join_inside, read_text
from hexapla.git import Repository
from hexapla.setup import read_template
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
# Where each host looks for the file, in its order: the first that is there is the only one read, a new one comes first.
OWNER_FILES = {"github": (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"),
               "gitlab": ("CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")}
LABEL_FILES = {"github": (".github/labeler.yml",)}
SAFE_FOLDER = re.compile(r"[\w./@+-]+")  # means itself in a shell, in YAML and in CODEOWNERS
FIELD = re.compile(r"\{(?:lang|page)\}")


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
    plan = CiPlan(root, top, hosts, configuration_text(wanted), baseline * needed)
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


def configuration_text(wanted: Mapping[str, object]) -> str:
    """The text of a hexapla.toml, "" where it has nothing to say."""
    return "\n".join([INTRODUCTION, *map(setting_line, wanted.items()), ""]) if wanted else ""


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


def owned_paths(layout: Layout, folder: str, owners: Owners) -> dict[str, list[str]]:
    """The paths of each language with an owner; `folder` is the tree's in its repository. Raises ConfigError."""
    if unknown := [code for code in owners.of if code not in layout.languages]:
        known = ", ".join(layout.languages) or "none"
        raise ConfigError(f"{owners.place} names {unknown[0]!r}, which is no language that is translated here; "
                          f"there are: {known}")
    if not SAFE_FOLDER.fullmatch(FIELD.sub("", layout.pattern)):
        raise ConfigError(f"{layout.pattern!r}: cannot be named in CODEOWNERS; give its folders names of letters, "
                          "digits and any of . _ @ + -, and run this again")
    start = f"/{folder}/" if folder else "/"
    records = ("{}/", "review/{}/", "{}.*")  # of its sections, of what was doubted, and its own files
    return {code: [f"{start}{path}" for path in (*page_paths(layout, code),
                                                 *(f"{RECORDS}/{each.format(code)}" for each in records))]
            for code in owners.of}


def owner_lines(owned: Mapping[str, Sequence[str]], owners: Owners) -> list[str]:
    """The lines of a CODEOWNERS file."""
    return [f"{path} {' '.join(owners.of[code])}" for code, paths in owned.items() for path in paths]


def label_lines(owned: Mapping[str, Sequence[str]]) -> list[str]:
    """The lines of a labeler.yml: a label for each language, with the patterns of its files.

    >>> label_lines({"ja": ["/docs/ja/", "/translations/ja.*"]})
    ['"ja": [{changed-files: [{any-glob-to-any-file: ["docs/ja/**", "translations/ja.*", "translations/ja.*/**"]}]}]']
    """
    def list_globs(path: str) -> tuple[str, ...]:  # what ends in a star may be a folder, too
        return (f"{path[1:]}**",) if path.endswith("/") else (path[1:], f"{path[1:]}/**")[: 1 + path.endswith("*")]

    listed = {code: json.dumps([each for path in paths for each in list_globs(path)], ensure_ascii=False)
              for code, paths in owned.items()}
    return [f'"{code}": [{{changed-files: [{{any-glob-to-any-file: {each}}}]}}]' for code, each in listed.items()]


def page_paths(layout: Layout, language: str) -> tuple[str, ...]:
    """Where the pages of a language lie as CODEOWNERS has it: its folder, else what its files are called.

    >>> here = Path(".")
    >>> page_paths(Layout(here, "docs/{lang}/docs/{page}.md", "", "en", ("ja",)), "ja")
    ('docs/ja/',)
    >>> page_paths(Layout(here, "docs/{page}.{lang}.md", "", "en", ("ja",)), "ja")
    ('docs/**/*.ja.md',)
    """
    before, named, after = layout.pattern.partition("{lang}")
    if not named or "{page}" in before:
        return tuple(f"{layout.folder(language)}**/*{suffix}" for suffix in layout.suffixes(language))
    rest, paged, _ = after.partition("/")[0].partition("{page}")
    return (f"{before}{language}{rest}{'*' if paged else '/'}",)


def lacking_lines(top: Path, places: Sequence[str], lines: Sequence[str]) -> tuple[str, list[str]]:
    """The CODEOWNERS file of a repository, and the lines that it lacks. Raises OSError.

    The last line that fits a path counts: one that another's may outdo has no effect, and is lacking too.
    """
    path = next((each for each in places if (top / each).is_file()), places[0])
    text = read_text(top, path, errors="replace") if (top / path).is_file() else ""
    there = [line.partition("#")[0].split() for line in text.splitlines()]
    ours = [line.split() for line in lines]
    last = {" ".join(each): number for number, each in enumerate(there)}
    others = [(number, each[0]) for number, each in enumerate(there) if each and each not in ours]
    return path, [line for line in lines if line not in last or any(
        number > last[line] and may_cover(pattern, line.split()[0]) for number, pattern in others)]


def may_cover(pattern: str, path: str) -> bool:
    """Whether a pattern of CODEOWNERS may fit what lies below a path of ours.

    >>> [may_cover(pattern, "/docs/ja/") for pattern in ("*", "/docs/", "docs/**/*.md", "/docs/zh/", "/tools/")]
    [True, True, True, False, False]
    """
    return path.startswith(f"/{pattern.lstrip('/').partition('*')[0]}")


def write_ci(plan: CiPlan) -> None:
    """Write the configuration and the files of hosts that are not there. Raises ConfigError and OSError."""
    new = {plan.root / CONFIGURATION: plan.configuration} if plan.configuration else {}
    new |= {plan.top / each.path: each.text for each in plan.to_write}
    write_files(plan.top, {file: FileEdit(None, text.encode()) for file, text in new.items()})
