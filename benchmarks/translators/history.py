"""Whether `status` finds what upstream's translators found: `python -m benchmarks.translators.history DIR KIND`.

KIND is `fastapi`, DIR a clone of FastAPI; or `vue`, with DIR a clone of a translation of Vue's docs and --source one of
vuejs/docs, whose histories are put together by date. No tree has a record, so what is behind is told by git alone.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hexapla.cache import Cache
from hexapla.cli.translated_tree import translated_tree
from hexapla.translation.status.section_states import PageStatus, TranslationState
from hexapla.translation.tracking import tree_status

TARGETS = "to reach: 95 % of the pages touched, at most 5 % of the others"
LAYOUTS = {"fastapi": "docs/{lang}/docs/{page}.md", "vue": "docs/{lang}/{page}.md"}
UPDATE = re.compile(r"Update translations for (?P<language>\S+) \(update-outdated\)")


class Update(NamedTuple):
    """A commit of upstream that updates translations: the pages of `language` that it changed, by name."""

    commit: str
    language: str
    pages: frozenset[str]


def git(root: Path, *arguments: str, stdin: bytes | None = None) -> str:
    """What a git command prints. Raises CalledProcessError."""
    command = ["git", "-C", str(root), "-c", "core.quotepath=off", *arguments]
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "replace")


def clone(source: Path, folder: Path, *paths: str) -> Path:
    """A clone that shares its objects and checks out some folders alone."""
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(source), str(folder)], check=True)
    if paths:
        git(folder, "sparse-checkout", "set", "--no-cone", *(f"/{path}/" for path in paths))
    return folder


def changed(root: Path, commit: str, layout: str, language: str) -> frozenset[str]:
    """The pages of a language that a commit modified."""
    before, _, after = layout.replace("{lang}", language).partition("{page}")
    listed = git(root, "diff-tree", "-r", "--name-only", "--diff-filter=M", "--no-commit-id", f"{commit}^", commit)
    return frozenset(
        path.removeprefix(before).removesuffix(after) for path in listed.splitlines()
        if path.startswith(before) and path.endswith(after)
    )


def fastapi_updates(root: Path) -> Iterator[Update]:
    """FastAPI's commits "Update translations for CODE (update-outdated)", the oldest first."""
    for line in git(root, "log", "--reverse", "--format=%H %s", "--grep=(update-outdated)").splitlines():
        commit, _, subject = line.partition(" ")
        if named := UPDATE.search(subject):
            yield Update(commit, named["language"], changed(root, commit, LAYOUTS["fastapi"], named["language"]))


class Change(NamedTuple):
    """A commit of one of two histories: the pages that it left, by path, with their blobs ("" for one taken away)."""

    date: int
    language: str
    subject: str
    blobs: tuple[tuple[str, str], ...]


def changes(root: Path, language: str) -> Iterator[Change]:
    """The commits of the first parents that changed a page below src/, the oldest first."""
    form = "--format=%x00%ct %s"
    date, subject, blobs = 0, "", []
    listed = git(root, "log", "--first-parent", "--diff-merges=first-parent", "--reverse", form, "--raw", "--no-abbrev",
                 "--no-renames", "--", "src")
    for line in [*listed.splitlines(), "\x000 "]:
        if line.startswith("\0"):
            if blobs:
                yield Change(date, language, subject, tuple(blobs))
            stamp, _, subject = line[1:].partition(" ")
            date, blobs = int(stamp), []
        elif line.endswith(".md"):
            fields, path = line.split("\t")
            blob = fields.split()[3]
            blobs.append((path.removeprefix("src/"), blob if blob.strip("0") else ""))


def joined(source: Path, translation: Path, folder: Path, language: str) -> tuple[Path, list[tuple[str, Change]]]:
    """A repository of both histories by date, and its commits with what they are of."""
    clone(source, folder)
    objects = folder / ".git/objects/info/alternates"
    there = Path(git(translation, "rev-parse", "--absolute-git-dir").strip())
    objects.write_text(objects.read_text(encoding="utf-8") + f"{there / 'objects'}\n", encoding="utf-8")
    both = sorted([*changes(source, "en"), *changes(translation, language)], key=lambda each: each.date)
    stream = []
    for number, each in enumerate(both, 1):
        author = f"committer x <x@example.org> {each.date} +0000"
        message = each.subject.encode("utf-8", "replace").decode()
        stream += [f"commit refs/heads/joined\nmark :{number}\n{author}\ndata {len(message.encode())}\n{message}\n"]
        for path, blob in each.blobs:
            stream.append(f'{f"M 100644 {blob}" if blob else "D"} "docs/{each.language}/{path}"\n')
    git(folder, "fast-import", "--quiet", stdin="".join(stream).encode())
    commits = git(folder, "rev-list", "--reverse", "refs/heads/joined").split()
    return folder, list(zip(commits, both, strict=True))


def vue_updates(root: Path, commits: Iterable[tuple[str, Change]], language: str) -> Iterator[Update]:
    """The translation's commits that follow one of the source: named as that one is, or a merge of a branch `sync`."""
    told: set[str] = set()
    for commit, change in commits:
        title = re.sub(r"(?: \(#\d+\))+$", "", change.subject).strip().lower()
        if change.language == "en":
            told.add(title)
        elif title in told or "/sync" in title:
            yield Update(commit, language, changed(root, commit, LAYOUTS["vue"], language))


def called(page: PageStatus) -> str:
    """What `status` says of a page: behind where a section is behind or missing, else the state of its sections."""
    states = {each.state for each in page.sections}
    if states & {TranslationState.BEHIND, TranslationState.MISSING}:
        return "behind"
    return "unrecorded" if TranslationState.UNRECORDED in states else "current"


def judge(root: Path, update: Update, layout: str, cache: Cache) -> dict[str, str]:
    """What status says of each page that has a translation, the commit before an update."""
    git(root, "checkout", "-q", "--detach", "--force", f"{update.commit}^")
    options = argparse.Namespace(
        root=root, layout=layout, source_layout=None, source="en", languages=update.language, anchors=None
    )
    pages = tree_status(translated_tree(options, cache), language=update.language)
    return {page.page: called(page) for page in pages if page.path and page.source_path}


def rows(root: Path, updates: Sequence[Update], layout: str, cache: Cache, show: bool) -> Iterator[str]:
    """A line for each update, then the sums.

    An update need not touch all that is behind: pages that the next one of its language touches are told apart.
    """
    sums: list[Counter[str]] = [Counter(), Counter(), Counter()]
    for number, update in enumerate(updates):
        told = judge(root, update, layout, cache)
        following = next((each.pages for each in updates[number + 1 :] if each.language == update.language), ())
        parts = [Counter(), Counter(), Counter()]
        for page, state in told.items():
            parts[0 if page in update.pages else 1 if page in following else 2][state] += 1
        sums = [total + part for total, part in zip(sums, parts, strict=True)]
        yield f"{update.commit[:9]} {update.language:8} {'   '.join(map(counts, parts))}"
        for page, state in sorted(told.items()) if show else ():
            if (state == "behind") != (page in update.pages):
                yield f"    {page}: {state}, {'touched' if page in update.pages else 'not touched'}"
    touched, later, never = sums
    yield f"{'all':18} {'   '.join(map(counts, sums))}"
    yield f"called behind: {share(touched)} of the pages touched, {share(later + never)} of the others; {TARGETS}"
    yield f"of the others: {share(later)} of those that the next update touched, {share(never)} of the rest"


def counts(found: Counter[str]) -> str:
    """Pages by what they were called."""
    return f"{found.total():6} {found['behind']:6} {found['unrecorded']:6} {found['current']:6}"


def share(found: Counter[str]) -> str:
    """The share that was called behind."""
    return f"{found['behind'] / found.total():.1%}" if found.total() else "none"


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("repository", type=Path, metavar="DIR")
    arguments.add_argument("kind", choices=LAYOUTS)
    arguments.add_argument("--source", type=Path, metavar="DIR", help="a clone of vuejs/docs")
    arguments.add_argument("--language", metavar="CODE", default="ja", help="of Vue's translation (default: ja)")
    arguments.add_argument("--last", type=int, default=10_000, metavar="N", help="the last N updates alone")
    arguments.add_argument("--show", action="store_true", help="name the pages that were called otherwise")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if chosen.kind == "fastapi":
            root = clone(chosen.repository, Path(folder) / "clone", "docs", "docs_src")
            found = list(fastapi_updates(root))
        else:
            root, commits = joined(chosen.source, chosen.repository, Path(folder) / "clone", chosen.language)
            found = list(vue_updates(root, commits, chosen.language))
        found = [each for each in found if each.pages][-chosen.last :]
        print(f"{len(found)} updates; pages touched, of these behind, unrecorded, current; the same of those that the "
              "next update touched, and of the rest")
        cache = Cache(Path(folder) / "cache")
        for line in rows(root, found, LAYOUTS[chosen.kind], cache, chosen.show):
            print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
