"""Anchors that others' commits mended, and whether `hexapla check` calls each of them dead in the commit before.

    python -m benchmarks.trees.history MIRRORS [--only REPOSITORY,REPOSITORY]

MIRRORS has the repositories of anchors.yml as bare clones, `owner+name/repo`. The tree of the commit before is taken
out of the clone, text and configuration alone, and the pages are checked without options. An anchor is called if a
finding about a link names it on its line, of whatever severity. A row was taken over from a commit that speaks of links
or anchors if it changed the anchor of a link, the old one was no heading or id of the page that it leads to, and the
new one was one already.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from benchmarks.trees.__main__ import BARS, COMMAND

HERE = Path(__file__).parent
RULES = ("link-anchor-missing", "link-target-missing", "link-malformed")
READ = ("md", "mdx", "json", "yml", "yaml", "toml", "js", "mjs", "cjs", "ts", "mts", "html", "vue")


def take_out(clone: Path, revision: str, folder: Path) -> None:
    """Write the files of a revision that a check reads into a folder."""
    git = ["git", "-C", clone]
    listed = subprocess.run([*git, "ls-tree", "-r", "--name-only", revision], capture_output=True, check=True).stdout
    endings = {name.rpartition(".")[2] for name in listed.decode().splitlines()}
    wanted = [f":(glob)**/*.{ending}" for ending in READ if ending in endings]
    packed = subprocess.run([*git, "archive", revision, *wanted], capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)


def check_pages(root: Path, pages: list[str]) -> tuple[list[dict[str, Any]], str]:
    """The findings about links of some pages, and what the command said where it found no tree."""
    command = [*COMMAND, "--root", root, "--no-cache", "--format", "json", *(root / page for page in pages)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        return [], done.stderr.strip()
    return [each for each in json.loads(done.stdout)["findings"] if each["rule"] in RULES], ""


def letters(text: str) -> str:
    """A text without what a tree's own rule may leave out of its ids."""
    return re.sub(r"[\W_]+", "", text).lower()


def severity_of(row: dict[str, Any], findings: list[dict[str, Any]]) -> str:
    """The severity of a finding on the row's page and line that names its anchor, "" where there is none."""
    anchor = letters(unquote(row["target"].partition("#")[2]))
    return next((each["severity"] for each in findings if each["path"] == row["page"] and each["line"] == row["line"]
                 and anchor in letters(each["message"])), "")


def main() -> None:
    """Count the anchors that are called, by repository; name the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--only", default="", help="repositories: owner/name,owner/name")
    chosen = parser.parse_args()
    rows = yaml.safe_load((HERE / "anchors.yml").read_text(encoding="utf-8"))
    counted: dict[str, Counter[bool]] = defaultdict(Counter)
    severities = Counter[str]()
    for (repository, commit), group in groupby(rows, key=lambda row: (row["repository"], row["commit"])):
        if chosen.only and repository not in chosen.only.split(","):
            continue
        mended = list(group)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            take_out(chosen.mirrors / repository.replace("/", "+") / "repo", f"{commit}^", root)
            findings, said = check_pages(root, sorted({row["page"] for row in mended}))
        for row in mended:
            called = severity_of(row, findings)
            severities[called] += 1
            counted[repository][bool(called)] += 1
            if not called:
                print(f"not called: {repository} {commit[:9]} {row['page']}:{row['line']} {row['target']}"
                      f"{f' ({said})' if said else ''}", flush=True)
    for repository, found in counted.items():
        print(f"{repository}: {found[True]} of {found.total()} called")
    print(f"all: {sum(found[True] for found in counted.values())} of {sum(map(Counter.total, counted.values()))}, "
          + ", ".join(f"{severities[severity]} as {severity}s" for severity in BARS))


if __name__ == "__main__":
    sys.exit(main())
