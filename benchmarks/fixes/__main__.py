"""Apply every fix to copies of foreign trees and count what else changed.

    python -m benchmarks.fixes TREES_DIR [NAME...]

What a reader sees is compared by markdown-it-py, which is another reader than the one that lets an edit through: the
text of all but code, ids and targets taken out; the letters beyond ASCII in code; the number of blocks. Pages of MDX
that a fix changed are compiled before and after, by @mdx-js/mdx, which npm installs into a temporary folder.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from hexapla.checks.engine.tree_check import CheckOptions, check_tree
from hexapla.config.discovery import TreeOptions
from markdown_it import MarkdownIt

HERE = Path(__file__).parent
IDS = re.compile(r"\s*(?:\{#[^{}]*\}|\[\[[^\[\]]*\]\])")
TARGETS = re.compile(r"""\b(?:href|src|to)=(?:"[^"]*"|'[^']*')""")
WRITTEN = re.compile(r"(?![\x00-\x7f])[^\W\d_]")


class Reading(NamedTuple):
    """A page as markdown-it-py reads it."""

    prose: str
    letters_in_code: str
    blocks: Counter[str]


def reading(text: str) -> Reading:
    """What stands in a page: its text without code, ids and targets, the letters in its code, its blocks."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    code = "".join(token.content for token in tokens if token.type in {"fence", "code_block"})
    prose = []
    for token in tokens:
        for each in token.children or ([token] if token.type == "html_block" else []):
            prose.append(each.content)
    bare = TARGETS.sub("", IDS.sub("", "\n".join(prose)))
    return Reading(bare, "".join(WRITTEN.findall(code)), Counter(token.type for token in tokens))


def characters_changed(before: str, after: str) -> int:
    """How many characters two texts do not share."""
    if before == after:
        return 0
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return sum(max(b - a, d - c) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal")


def lay(tree: dict[str, Any], checkouts: Path, root: Path) -> None:
    """Lay a tree's folders side by side."""
    for name, place in tree["folders"].items():
        origin = checkouts / place
        if origin.is_dir():
            shutil.copytree(origin, root / name, ignore=shutil.ignore_patterns("node_modules", ".git"))
        else:
            shutil.copy(origin, root / name)


def no_longer_compiled(pairs: list[tuple[Path, Path]], modules: Path) -> int:
    """How many pages compiled before and do not after."""
    if not pairs:
        return 0
    shutil.copy(HERE / "compile.mjs", modules)
    lines = "".join(f"{before}\t{after}\n" for before, after in pairs)
    run = subprocess.run(["node", "compile.mjs"], cwd=modules, input=lines, text=True, capture_output=True, check=True)
    return len(run.stdout.split())


def measure(tree: dict[str, Any], checkouts: Path, scratch: Path, modules: Path) -> list[int]:
    """Pages, fixes proposed, written and left; characters of prose and blocks changed; pages lost; findings."""
    root, old = scratch / "tree", scratch / "before"
    lay(tree, checkouts, root)
    shutil.copytree(root, old)
    place = TreeOptions(root=root, layout=tree["layout"], source_layout=tree.get("source", ""))
    options = CheckOptions(place, cached=False, jobs=1)
    before = check_tree(options)
    after = check_tree(options._replace(fix=True, write=True))
    prose = blocks = 0
    changed = [each.path for each in after.fixes if each.made]
    for path in changed:
        was, now = (reading((base / path).read_text("utf-8-sig")) for base in (old, root))
        prose += characters_changed(was.prose, now.prose)
        prose += characters_changed(was.letters_in_code, now.letters_in_code)
        blocks += sum(((was.blocks - now.blocks) + (now.blocks - was.blocks)).values())
    lost = no_longer_compiled([(old / path, root / path) for path in changed], modules) if tree.get("mdx") else 0
    made, left = (sum(len(getattr(each, name)) for each in after.fixes) for name in ("made", "left"))
    return [before.pages, made + left, made, left, prose, blocks, lost, len(before.findings), len(after.findings)]


def main() -> None:
    """Print a line for each tree as it is done."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("trees", type=Path, help="the folder with the checkouts, OWNER+NAME each")
    arguments.add_argument("names", nargs="*", help="trees to measure, by their names in trees.yml (default: all)")
    given = arguments.parse_args()
    heads = ("pages", "proposed", "written", "left", "prose", "blocks", "mdx", "before", "after")
    print(f"{'tree':16}" + "".join(f"{head:>10}" for head in heads))
    with tempfile.TemporaryDirectory() as place:
        modules = Path(place)
        subprocess.run(["npm", "install", "--silent", "--prefix", place, "@mdx-js/mdx@3", "remark-frontmatter@5"],
                       check=True, stdout=subprocess.DEVNULL)
        for tree in yaml.safe_load((HERE / "trees.yml").read_text(encoding="utf-8")):
            if given.names and tree["name"] not in given.names:
                continue
            with tempfile.TemporaryDirectory() as scratch:
                row = measure(tree, given.trees.resolve(), Path(scratch), modules)
            print(f"{tree['name']:16}" + "".join(f"{number:>10}" for number in row))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
