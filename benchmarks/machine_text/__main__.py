"""Measure what `residue` finds of machines' words and what it says of clean pages: `python -m benchmarks.machine_text`.

Every wording of held_out/ is put into a translated page beside its source, at the places that its file names, and
counts as found where the rule says something that it does not say of the page alone. A language that the guide lacks
is tried on the guide's Chinese pages, taken for that language. TREE=PATTERN (`--tree ../astro={lang}/{page}.mdx`, more
than one) are trees of clean pages, whose alarms are counted and, with --show, printed to be read by hand.
"""

import argparse
import zlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import yaml
from hexapla.cache import Cache
from hexapla.checks.context import RuleContext
from hexapla.checks.engine import tree_check
from hexapla.checks.engine.checker import Checker
from hexapla.checks.rules.text.machine_text import residue
from hexapla.config import discovery
from hexapla.pages import Page
from hexapla.pages.dialects import Dialect
from hexapla.pages.reader import read

HERE = Path(__file__).parent
PLACES = ("start", "middle", "end")
PAGES = 3     # of the guide, that each wording is put into
TARGET = 0.85


class Wording(NamedTuple):
    """What a machine said, in Markdown, and where in a page."""

    text: str
    place: str


def main() -> None:
    """Print recall by language, then alarms by tree and language."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.machine_text", description=__doc__.split("\n")[0])
    parser.add_argument("--tree", action="append", default=[], metavar="DIR=PATTERN", help="a tree of clean pages")
    parser.add_argument("--part", choices=("held_out", "tune"), default="held_out", help="held_out is reported")
    parser.add_argument("--show", action="store_true", help="print alarms, and with --part tune what was missed")
    options = parser.parse_args()
    own = checker(Path(), "")
    guide = contexts(own)
    print("| language | wordings | tried | found | recall | target |", "|---|---|---|---|---|---|", sep="\n")
    for language, wordings in sorted(read_wordings(options.part).items()):
        print(recall(language, wordings, guide, own.dialect, options.show and options.part == "tune"), flush=True)
    print("\n| tree | language | clean pages | alarms |", "|---|---|---|---|", sep="\n")
    for tree, pages in [("guide", guide), *((name, trees(name)) for name in options.tree)]:
        alarms(Path(tree.split("=")[0]).name, [page for page in pages if part_of(page) == options.part], options.show)


def read_wordings(part: str) -> dict[str, list[Wording]]:
    """The wordings by language, each with the place that it is tried in."""
    if part == "tune":
        known = yaml.safe_load((HERE / "development.yml").read_text("utf-8"))
        return {language: [Wording(text, PLACES[number % 3]) for number, text in enumerate(texts)]
                for language, texts in known.items()}
    found = {}
    for path in sorted((HERE / "held_out").glob("*.yml")):
        places = yaml.safe_load(path.read_text("utf-8"))
        found[path.stem] = [Wording(text, place) for place, texts in places.items() for text in texts]
    return found


def checker(root: Path, pattern: str) -> Checker:
    """A checker over a tree, without a cache."""
    root = root.resolve()
    layout = (discovery.layout_of_options(root, pattern) if pattern
              else discovery.find_layout(discovery.TreeOptions(root)))
    return Checker(tree_check.tree_of(layout, ()), Cache(None))


def trees(option: str) -> list[RuleContext]:
    """The translated pages of DIR=PATTERN."""
    root, _, pattern = option.partition("=")
    return contexts(checker(Path(root), pattern))


def contexts(checker: Checker) -> list[RuleContext]:
    """Every translated page beside its source."""
    source = checker.index.pages[checker.layout.source]
    return [checker.context(path, source[name]) for path, (language, name) in sorted(checker.index.owners.items())
            if language != checker.layout.source and name in source]


def part_of(context: RuleContext) -> str:
    """Which half a page belongs to, in every language the same: the one to tune on or the one that is reported."""
    return ("tune", "held_out")[zlib.crc32(context.document.name.encode()) % 2]


def recall(language: str, wordings: list[Wording], guide: list[RuleContext], dialect: Dialect, show: bool) -> str:
    """The line of one language."""
    base = language.split("-")[0]
    own = {page.document.language for page in guide}
    hosts = [page for page in guide if page.document.language == (base if base in own else "zh")]
    tried = found = 0
    for number, wording in enumerate(wordings):
        for step in range(PAGES):
            host = hosts[(number * PAGES + step) % len(hosts)]
            tried += 1
            document = host.document._replace(language=language if language != "en" else host.document.language)
            hit = seen(host._replace(document=document), wording, dialect)
            found += hit
            if show and not hit:
                print(f"missed {language} {wording.place} {document.path}: {wording.text}")
    return f"| {language} | {len(wordings)} | {tried} | {found} | {found / tried:.3f} | {TARGET} |"


def seen(context: RuleContext, wording: Wording, dialect: Dialect) -> bool:
    """Whether the rule says of a page with the wording in it what it does not say of the page."""
    page = context.page
    lines = page.lines
    # Before the title, before a heading in the middle, at the end.
    headings = [heading.line for heading in page.headings if heading.level > 1]
    at = {"start": title(page), "middle": headings[len(headings) // 2] if headings else len(lines) + 1,
          "end": len(lines) + 1}[wording.place]
    text = "".join((*lines[: at - 1], f"\n{wording.text}\n\n", *lines[at - 1:]))
    changed = context._replace(document=context.document._replace(page=read(text, dialect)))
    return bool(messages(changed) - messages(context))


def title(page: Page) -> int:
    """The line of a page's first heading, past its front matter."""
    return page.headings[0].line if page.headings else 1


def messages(context: RuleContext) -> Counter[str]:
    """What the rule says of a page."""
    return Counter(found.message for found in residue(context))


def alarms(tree: str, pages: list[RuleContext], show: bool) -> None:
    """A line for each language of a tree of clean pages."""
    found: Counter[str] = Counter()
    for page in pages:
        for alarm in residue(page):
            found[page.document.language] += 1
            if show:
                print(f"alarm {tree} {page.document.path}:{alarm.line}: {alarm.message}")
    for language, number in sorted(Counter(page.document.language for page in pages).items()):
        print(f"| {tree} | {language} | {number} | {found[language]} |", flush=True)


if __name__ == "__main__":
    main()
