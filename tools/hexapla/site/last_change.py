"""When and by whom each page was changed last, by git, and where a reader edits it and reports a mistake on it."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from hexapla.git import Repository

IS_GITLAB = re.compile(r"https://[^/]*gitlab[^/]*/")


class IssueForm(NamedTuple):
    """The form of a new issue: the folder of its address, and what its fields are called there."""

    folder: str
    title: str
    body: str


GITHUB, GITLAB = IssueForm("", "title", "body"), IssueForm("/-", "issue[title]", "issue[description]")


class PageChange(NamedTuple):
    """The last commit that changed a page: its date, its author's name and its first line."""

    date: str
    author: str
    subject: str


def read_changes(root: Path, docs: Path) -> dict[str, PageChange]:
    """The last change of each file by its path in docs.

    None without git, and none of a shallow clone, whose oldest commit seems to have changed every file.
    """
    return changes_until(Repository(root).head, root, docs)


@lru_cache(maxsize=1)
def changes_until(commit: str | None, root: Path, docs: Path) -> dict[str, PageChange]:
    """The last changes where `commit` is checked out."""
    if Repository(root).lines("rev-parse", "--is-shallow-repository") != ["false"]:
        return {}
    named = ("--relative", "--name-only", "--no-renames", "-z", "--format=%x01%as%x02%aN%x02%s")
    logged = Repository(docs).run("log", *named, "--", ".") or b""
    found: dict[str, PageChange] = {}
    for commit in logged.decode("utf-8", "replace").split("\x01")[1:]:
        head, *files = commit.split("\0")
        change = PageChange(*head.split("\x02", 2))
        for name in filter(None, (file.strip("\n") for file in files)):
            found.setdefault(name, change)
    return found


def main_branch(root: Path) -> str:
    """The branch that a clone's repository has as its main one, "" where git does not know it."""
    return "".join(Repository(root).lines("symbolic-ref", "--short", "refs/remotes/origin/HEAD")).partition("/")[2]


def report_address(repository: str, page: str, language: str, version: str) -> str:
    """The address that opens an issue on a page of a site, "" without a repository."""
    if not repository:
        return ""
    title, body = f"{page} ({language})", f"Page: {page}\nSection:\nLanguage: {language}\nVersion: {version}\n\n"
    forge = GITLAB if IS_GITLAB.match(repository) else GITHUB
    asked = urlencode({forge.title: title, forge.body: body})
    return f"{repository.rstrip('/')}{forge.folder}/issues/new?{asked}"


def changed_pages(
    changes: Mapping[str, PageChange], paths: Mapping[str, str], limit: int
) -> list[tuple[str, PageChange]]:
    """The pages that changed last, the newest first; `paths` maps each page to the file that it is made of."""
    found = [(page, changes[path]) for page, path in paths.items() if path in changes]
    return sorted(found, key=lambda each: each[1].date, reverse=True)[:limit]
