"""Edits of a source, and how much unchanged text they ask translators for again: `python -m benchmarks.translators`.

Without `--tree` on the guide in Chinese and Japanese; with `--tree DIR --layout PATTERN --language CODE` on another
tree, whose translations are recorded as current first. For every kind of edit: the words of unchanged text in the
sections that were touched, how many of them stand in sections that wait for a translation and have none in what
`hexapla export` writes, how many words `hexapla status` says are to look at beside how many are new, and how many
changed texts read as current.
"""

import argparse
import random
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from hexapla.cache import Cache
from hexapla.config import discovery
from hexapla.config.layout import Layout
from hexapla.git import Repository
from hexapla.translation import tracking
from hexapla.translation.exchange.exchange_files import page_catalog
from hexapla.translation.history.changes import SourceHistory
from hexapla.translation.memory.pairs import memory_key
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.status.section_states import Change, PageStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree, read_tree

from benchmarks.translators.edits import EDITS, Source, Touched

ROOT = Path(__file__).resolve().parents[2]
DONE = {TranslationState.CURRENT, TranslationState.MOVED}
COLUMNS = ("edits", "unchanged", "asked again", "to look at", "new", "current")
Texts = dict[str, set[str]]  # by language: the source's texts in sections that were translated


def tree(root: Path, layout: Layout) -> TranslationTree:
    """The tree of the copy."""
    snippets = root / "snippets"
    return read_tree(
        layout, lambda path: (snippets / path).read_text(encoding="utf-8"), lambda path: "", Cache(root),
    )


def lay(root: Path, chosen: argparse.Namespace) -> Layout:
    """The pages, every translation recorded as current, in git."""
    if chosen.tree:
        for code in ("en", chosen.language):
            shutil.copytree(chosen.tree / "docs" / code, root / "docs" / code)
        layout = discovery.layout_of_options(root, chosen.layout)
    else:
        for name in ("docs", "snippets"):
            shutil.copytree(ROOT / name, root / name)
        layout = discovery.layout_of_options(root, "docs/{lang}/{page}.md")
    tracking.sync_tree(tree(root, layout), tracking.Sync([f"docs/{layout.source}"], write=True))
    (root / ".gitignore").write_text(".hexapla\n", encoding="utf-8")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        who = ["-c", "user.name=benchmark", "-c", "user.email=benchmark@example.org"]
        subprocess.run(["git", *who, *command], cwd=root, check=True)
    return layout


def exported(now: TranslationTree, pages: list[PageStatus]) -> dict[tuple[str, str, str], list[tuple[str, bool]]]:
    """The messages of each section by language, page and id: its text, and whether its translation is finished."""
    history = SourceHistory(Repository(now.layout.root))
    memories = {code: TranslationMemory(now, code, history) for code in now.languages}
    found: dict[tuple[str, str, str], list[tuple[str, bool]]] = {}
    for page in pages:
        for each in page_catalog(now, page, memories[page.language]).messages if page.source_path else ():
            done = bool(each.target) and not each.fuzzy
            found.setdefault((page.language, page.page, each.section), []).append((each.text, done))
    return found


def batch(source: Source, wanted: list[int]) -> list[tuple[str, Touched]]:
    """Edits of pages that no other one touches; `wanted` counts what is left of each kind."""
    made: list[tuple[str, Touched]] = []
    kinds = [number for number, left in enumerate(wanted) if left]
    while source.free and kinds:
        number = source.random.choices(kinds, [wanted[kind] for kind in kinds])[0]
        touched = EDITS[number](source)
        if touched:
            made.append((EDITS[number].__name__, touched))
            wanted[number] -= 1
        if not touched or not wanted[number]:  # no free page is left for this kind
            kinds.remove(number)
    return made


def score(
    now: TranslationTree, edits: list[tuple[str, Touched]], before: Texts, source: set[str],
    missing: set[tuple[str, str, str]], counts: dict[str, Counter[str]],
) -> None:
    """Add what became of the touched sections to the counts of each kind; those that were missing before count not."""
    names = sorted({name for _, touched in edits for name, _ in touched})
    pages = tracking.tree_status(now, names)
    states = {(page.language, page.page, each.id): each for page in pages for each in page.sections}
    messages = exported(now, pages)
    for kind, touched in edits:
        count = counts[kind]
        count["edits"] += 1
        for language in now.languages:
            for place in touched:
                status = states[language, *place]
                if (language, *place) in missing:
                    continue
                count["to look at"] += status.words or 0
                waits = status.state is TranslationState.MISSING or status.change is Change.TEXT
                for text, done in messages.get((language, *place), []):
                    words = len(text.split())
                    if memory_key(text) in before[language]:
                        count["unchanged"] += words
                        count["asked again"] += words * (waits and not done)
                    elif memory_key(text) not in source:
                        count["new"] += words
                        count["current"] += done or status.state in DONE
                if kind == "code":
                    count["current"] += status.state in DONE


def judge(root: Path, layout: Layout, seed: int, edits: int) -> list[str]:
    """One line for each kind of edit, and one for all."""
    clean = tree(root, layout)
    folder = {name: root / path for name, path in clean.files[layout.source].items()}
    texts = {name: path.read_text(encoding="utf-8") for name, path in folder.items()}
    before: Texts = {code: set() for code in clean.languages}
    source: set[str] = set()
    pages = tracking.tree_status(clean)
    states = {(page.language, page.page, each.id): each.state for page in pages for each in page.sections}
    missing = {place for place, state in states.items() if state is not TranslationState.CURRENT}
    for place, found in exported(clean, pages).items():
        if states[place] is TranslationState.CURRENT:
            before[place[0]] |= {memory_key(text) for text, _ in found}
        source |= {memory_key(text) for text, _ in found}
    clean.cache.close()
    chance = random.Random(seed)
    wanted = [edits // len(EDITS) + (number < edits % len(EDITS)) for number in range(len(EDITS))]
    counts: dict[str, Counter[str]] = {edit.__name__: Counter() for edit in EDITS}
    while any(wanted):
        edited = Source(dict(texts), sorted(texts), chance)
        made = batch(edited, wanted)
        changed = {name for name in texts.keys() | edited.pages.keys() if texts.get(name) != edited.pages.get(name)}
        for name in changed:
            path = root / layout.path(layout.source, name)
            if name in edited.pages:
                path.write_text(edited.pages[name], encoding="utf-8")
            else:
                path.unlink()
        now = tree(root, layout)
        score(now, made, before, source, missing, counts)
        now.cache.close()
        for name in changed:
            path = root / layout.path(layout.source, name)
            if name in texts:
                path.write_text(texts[name], encoding="utf-8")
            else:
                path.unlink()
    counts["all"] = sum(counts.values(), Counter())
    lines = [
        f"{kind:16}" + "".join(f"{count[name]:>12}" for name in COLUMNS)
        + f"{count['asked again'] / max(1, count['unchanged']):9.1%}"
        for kind, count in counts.items()
    ]
    return [f"{'edit':16}" + "".join(f"{name:>12}" for name in COLUMNS) + "    again", *lines]


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--edits", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=2027, help="2026 is what the memory was tuned on")
    arguments.add_argument("--tree", type=Path, metavar="DIR", help="another tree than the guide")
    arguments.add_argument("--layout", default="docs/{lang}/docs/{page}.md")
    arguments.add_argument("--language", default="ja", metavar="CODE")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        layout = lay(Path(folder), chosen)
        print("\n".join(judge(Path(folder), layout, chosen.seed, chosen.edits)))


if __name__ == "__main__":
    main()
