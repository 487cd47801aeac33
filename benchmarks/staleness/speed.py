"""How long `hexapla status` takes on 1,600 pages in four languages: cold, unchanged, and after one page changed."""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hexapla.cache import Cache
from hexapla.config.discovery import SnippetFolders, TreeOptions, find_layout
from hexapla.translation import tracking
from hexapla.translation.translation_tree import read_tree

STATUS = [sys.executable, "-m", "hexapla"]
LANGUAGES = ("zh", "ja", "ko", "fr")
CONFIG = """\
site_name: Many
plugins:
  - i18n:
      docs_structure: folder
      languages:
        - {locale: en, name: English, default: true}
"""


def lay(project: Path, root: Path, count: int, languages: Sequence[str] = LANGUAGES) -> None:
    """`count` source pages and as many in each language: the project's own pages under many names.

    Languages that the project does not have get the Chinese pages. A tenth of the pages is not translated.
    """
    entries = "".join(f"        - {{locale: {code}, name: {code}}}\n" for code in languages)
    (root / "mkdocs.yml").write_text(CONFIG + entries, encoding="utf-8")
    shutil.copytree(project / "snippets", root / "snippets")
    for code in ("en", *languages):
        own = project / "docs" / (code if (project / "docs" / code).is_dir() else "zh")
        pages = sorted(own.rglob("*.md"))
        for number in range(count):
            page = root / "docs" / code / f"part{number % 40}" / f"page{number}.md"
            page.parent.mkdir(parents=True, exist_ok=True)
            if code == "en" or number % 10:
                text = pages[number % len(pages)].read_text(encoding="utf-8")
                page.write_text(text.replace("}\n", f"}}\n\n{number}\n", 1), encoding="utf-8")


def record(root: Path) -> None:
    """Record every translation as current, as a command would that asks no judge: some are copies of another one."""
    layout = find_layout(TreeOptions(root=root))
    found = read_tree(layout, SnippetFolders(layout.snippets).read, lambda path: "", Cache(root))
    tracking.sync_tree(found, tracking.Sync([f"docs/{layout.source}"], write=True))


def run(root: Path, *arguments: str) -> tuple[float, float]:
    """CPU seconds and seconds by the clock of one command."""
    before, clock = os.times(), time.perf_counter()
    subprocess.run([*STATUS, *arguments], cwd=root, check=True, capture_output=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return cpu, time.perf_counter() - clock


def measure(project: Path, root: Path, count: int, rounds: int) -> list[str]:
    """One line for each of the three situations, medians."""
    lay(project, root, count)
    record(root)
    seconds: dict[str, list[tuple[float, float]]] = {}
    for number in range(rounds):
        shutil.rmtree(root / ".hexapla", ignore_errors=True)
        seconds.setdefault("cold", []).append(run(root, "status"))
        seconds.setdefault("unchanged", []).append(run(root, "status"))
        page = root / "docs/en/part1/page1.md"
        page.write_text(page.read_text(encoding="utf-8") + f"\nMore {number}.\n", encoding="utf-8")
        seconds.setdefault("one page changed", []).append(run(root, "status"))
    found = []
    for name, pairs in seconds.items():
        cpu, clock = (statistics.median(values) for values in zip(*pairs, strict=True))
        found.append(f"{count} pages x {len(LANGUAGES)} languages, {name:16}: {cpu:6.2f} CPU s, {clock:6.2f} s")
    return found
