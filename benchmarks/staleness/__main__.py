"""Edits of the guide's English, each judged by what `hexapla status` makes of it: `python -m benchmarks.staleness`.

For every kind of edit: how many were applied, and how many were classified right in every section of every language,
those that stay current included. `--speed` times the command on a tree of 1,600 pages in four languages instead.
"""

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

from hexapla.config import discovery
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import load_project
from hexapla.examples.evidence_store import recorded_outputs
from hexapla.translation import tracking
from hexapla.translation.status.section_states import TranslationState
from hexapla.translation.translation_tree import TranslationTree, read_tree

from benchmarks.staleness import speed
from benchmarks.staleness.edits import EDITS, Expected, Project

ROOT = Path(__file__).resolve().parents[2]
TARGET = 0.99


def tree(root: Path, changed: dict[str, str]) -> TranslationTree:
    """The tree of the copy; `changed` are outputs recorded anew."""
    project = load_project(root)
    recorded = recorded_outputs(project)
    place = discovery.layout_of_project(project, read_settings(root / "mkdocs.yml"))
    snippets = root / "snippets"
    return read_tree(
        place, lambda path: (snippets / path).read_text(encoding="utf-8"),
        lambda path: changed.get(path, recorded(path)),
    )


def lay(root: Path) -> None:
    """The project's pages and snippets, and every translation recorded as current."""
    for name in ("docs", "snippets"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy(ROOT / "mkdocs.yml", root)
    tracking.sync_tree(tree(root, {}), tracking.Sync(["docs/en"], write=True))


def found(root: Path, changed: dict[str, str]) -> dict[str, Expected]:
    """What is not current, by language."""
    all_found: dict[str, Expected] = {}
    for page in tracking.statuses(tree(root, changed)):
        for section in page.sections:
            if section.state is not TranslationState.CURRENT:
                told = str(section.change or section.state)
                all_found.setdefault(page.language, {})[page.page, section.id] = told
    return all_found


def judge(clean: Path, seed: int, edits: int, show: bool) -> list[str]:
    """One line for each kind of edit, and one for all."""
    lines, rights, all_applied = [], 0, 0
    for number, edit in enumerate(EDITS):
        right = applied = attempts = 0
        while applied < edits and attempts < edits * 10:
            attempts += 1
            with tempfile.TemporaryDirectory() as folder:
                root = Path(folder) / "copy"
                shutil.copytree(clean, root)
                project = Project(root, random.Random(f"{seed} {number} {attempts}"))
                expected = edit(project)
                if expected is None:
                    continue
                applied += 1
                seen = found(root, project.outputs)
                ok = all(seen.get(language, {}) == expected for language in ("zh", "ja"))
                right += ok
                if show and not ok:
                    print(edit.__name__, attempts, "expected", expected, "found", seen)
        lines.append(f"{edit.__name__:14} {applied:5} {right:6}")
        rights, all_applied = rights + right, all_applied + applied
    share = rights / all_applied
    return [f"{'edit':14} {'made':>5} {'right':>6}", *lines,
            f"{'all':14} {all_applied:5} {rights:6}   {share:.1%}, to reach {TARGET:.0%}"]


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--edits", type=int, default=30, help="of each kind (default: 30)")
    arguments.add_argument("--seed", type=int, default=2026)
    arguments.add_argument("--show", action="store_true", help="print every edit that was not classified right")
    arguments.add_argument("--speed", action="store_true", help="time the command instead")
    arguments.add_argument("--pages", type=int, default=1600, help="of the tree that is timed (default: 1600)")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if chosen.speed:
            print("\n".join(speed.measure(ROOT, Path(folder), chosen.pages, rounds=3)))
            return
        lay(clean := Path(folder) / "clean")
        print("\n".join(judge(clean, chosen.seed, chosen.edits, chosen.show)))


if __name__ == "__main__":
    sys.exit(main())
