"""CPU seconds of a clean build: Hexapla beside plain Material, static-i18n and snippets, on the same pages.

    python benchmarks/build.py [--rounds 5] [--copies 1 10]

Both sides are built in turn in one run. The plain side gets the Traditional Chinese pages as files, since it cannot
derive them, and pymdownx.snippets with `check_paths`. `--copies 10` builds ten copies of every page.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from hexapla import glossary
from hexapla.config.project import load_project
from hexapla.hanzi.converter import Converter
from hexapla.pages import spans

ROOT = Path(__file__).resolve().parents[1]
TARGET = 1.15


class Tagged(yaml.SafeLoader):
    """Reads mkdocs.yml, its tags dropped."""


Tagged.add_multi_constructor("!", lambda loader, suffix, node: "https://hexapla.example/")


def lay(root: Path, copies: int) -> None:
    """The project's pages, each also under `copies - 1` other names."""
    for name in ("docs", "snippets"):
        shutil.copytree(ROOT / name, root / name)
    for page in sorted(root.glob("docs/*/*.md")):
        for number in range(1, copies):
            shutil.copy(page, page.with_name(f"{page.stem}_{number}.md"))


def ours(root: Path) -> None:
    """Hexapla's side: the project as it is, its translations recorded."""
    shutil.copy(ROOT / "mkdocs.yml", root)
    shutil.copy(ROOT / "pyproject.toml", root)  # the runners, and where the tests put each snippet
    shutil.copytree(ROOT / "tests/snippets", root / "tests/snippets")
    shutil.copytree(ROOT / "translations", root / "translations")


def plain(root: Path) -> None:
    """The plain side: no hexapla plugin, Traditional Chinese on disk, pymdownx.snippets."""
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Tagged)
    settings["plugins"] = [plugin for plugin in settings["plugins"] if "hexapla" not in plugin and plugin != "search"]
    settings["plugins"].insert(0, "search")
    snippets = {"base_path": str(root / "snippets"), "check_paths": True, "dedent_subsections": True}
    settings["markdown_extensions"].append({"pymdownx.snippets": snippets})
    (root / "mkdocs.yml").write_text(yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8")
    project = load_project(ROOT)
    terms = glossary.parse(project.glossary.read_text(encoding="utf-8"))
    convert = Converter(glossary.conversions(terms, "zh", "zh-Hant"))
    for page in sorted((root / "docs/zh").rglob("*.md")):
        derived = root / "docs/zh-Hant" / page.relative_to(root / "docs/zh")
        derived.parent.mkdir(parents=True, exist_ok=True)
        derived.write_text(convert.page(spans(page.read_text(encoding="utf-8"))), encoding="utf-8")


def cpu_seconds(root: Path) -> float:
    """User and system time of one clean build, children included."""
    shutil.rmtree(root / "site", ignore_errors=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    process = subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, env=quiet)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"the build in {root} failed: {process.stderr.read().decode()}")
    return usage.ru_utime + usage.ru_stime


def measure(copies: int, rounds: int) -> tuple[float, float, float]:
    """Medians of both sides and of the ratio round by round."""
    with tempfile.TemporaryDirectory() as folder:
        sides = {}
        for side in (plain, ours):
            sides[side.__name__] = root = Path(folder) / side.__name__
            root.mkdir()
            lay(root, copies)
            side(root)
            cpu_seconds(root)
        seconds: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(rounds):
            for name, root in sides.items():
                seconds[name].append(cpu_seconds(root))
    ratios = [mine / theirs for mine, theirs in zip(seconds["ours"], seconds["plain"], strict=True)]
    return statistics.median(seconds["plain"]), statistics.median(seconds["ours"]), statistics.median(ratios)


def main() -> None:
    """Print one row for each number of copies."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--copies", type=int, nargs="+", default=[1, 10])
    chosen = arguments.parse_args()
    print("copies   plain s    ours s   ratio   target")
    for copies in chosen.copies:
        theirs, mine, ratio = measure(copies, chosen.rounds)
        print(f"{copies:6}  {theirs:8.2f}  {mine:8.2f}  {ratio:6.3f}  {TARGET:6.2f}")


if __name__ == "__main__":
    main()
