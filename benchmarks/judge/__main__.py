"""Corrupt sections of translations, and count what the judge refuses or asks about; count questions on sound sections.

    python -m benchmarks.judge TREES_DIR [--part tune|report] [--show]

200 corruptions a language of each tree, made by rules that the judge does not know. They are judged twice: beside the
source alone, and as an edit of a section that the page has. Sections as they are are judged beside the source alone.
"""

import argparse
import random
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from hexapla.cache import Cache
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import BY_ID
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.config.project import find_terms
from hexapla.section_judge import SectionJudge, tree_judge
from hexapla.translation.status.section_states import find_statuses
from hexapla.translation.translation_tree import TranslationTree, read_tree

from benchmarks.judge.corruptions import KINDS, WITHOUT_MEANING, Sample, corruptions, said

HERE = Path(__file__).parent
CORRUPTIONS, SECTIONS, SEED = 200, 500, 34
FOREIGN = {"ja": ("zh", "ko"), "zh": ("ja", "ko"), "ko": ("ja", "zh")}


class Place(NamedTuple):
    """A section of a translation."""

    language: str
    page: str
    section: str
    text: str


def part_of(page: str) -> str:
    """Whether a page is for tuning or for the report."""
    return ("tune", "report")[sha256(page.encode()).digest()[0] % 2]


def opened(tree: dict[str, Any], trees: Path) -> tuple[TranslationTree, SectionJudge]:
    """A tree and its judge."""
    root = trees / tree["root"] if tree["root"] else HERE.parents[1]
    layout = find_layout(TreeOptions(root, tree["layout"], "", "", (), ""))
    read = read_tree(layout, lambda path: "", lambda path: "", Cache(None))
    return read, tree_judge(read, find_terms(root) if (root / "mkdocs.yml").is_file() else ())


def sections(tree: TranslationTree, language: str, part: str) -> list[Place]:
    """The sections of a language that say more than a heading and that the source has, SECTIONS at most."""
    found = []
    for page in find_statuses(tree, (language,)):
        if not page.path or page.page not in tree.source or (part and part_of(page.page) != part):
            continue
        for each in page.sections:
            text = tree.section_text(language, page.page, each.here).rstrip() if each.line else ""
            section = tree.section(page.page, each.id)
            source = section and tree.text(page.source_path)[section.span.start : section.span.end].rstrip()
            if source and said(text) and text != source:
                found.append(Place(language, page.page, each.id, text))
    return sorted(random.Random(SEED).sample(found, min(SECTIONS, len(found))))


def judged(judge: SectionJudge, place: Place, text: str, edit: bool = False) -> list[Finding]:
    """What the judge refuses a text for or asks about, beside its source, or as an edit of what the page has too."""
    found = judge.check_text(place.language, place.page, place.section, text, place.text, edit)
    return [item for item in found if item.severity == "error" or BY_ID[item.rule].asked != "noted"]


def rates(caught: Counter[str], made: Counter[str], kinds: list[str]) -> str:
    """How many of some kinds of corruptions were caught."""
    of = sum(made[kind] for kind in kinds)
    return f"{sum(caught[kind] for kind in kinds)} of {of}" + (
        f" ({sum(caught[kind] for kind in kinds) / of:.1%})" if of else "")


def main() -> None:
    """Print what came of each language of each tree."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("trees", type=Path)
    arguments.add_argument("names", nargs="*", help="trees to measure (default: all)")
    arguments.add_argument("--part", choices=("tune", "report"), default="", help="of the pages (default: all)")
    arguments.add_argument("--show", action="store_true", help="what was missed, and the questions on sound sections")
    given = arguments.parse_args()
    listed = yaml.safe_load((HERE / "trees.yml").read_text("utf-8"))
    every = {tree["name"]: opened(tree, given.trees) for tree in listed}
    kept = {(name, code): sections(tree, code, given.part) for name, (tree, _) in every.items()
            for code in tree.languages if code in FOREIGN}
    sentences: dict[str, list[str]] = {}
    for (_, code), places in kept.items():
        sentences.setdefault(code, []).extend(
            each.text[a:b].strip() for each in places for a, b in said(each.text) if b - a > 20)
    whole = [Counter[str](), Counter[str]()]
    for (name, code), places in kept.items():
        if given.names and name not in given.names:
            continue
        judge, pick = every[name][1], random.Random(SEED)
        asked = [(place, found) for place in places if (found := judged(judge, place, place.text))]
        sound = {(place.page, place.section) for place in places} - {
            (place.page, place.section) for place, _ in asked}
        good = [place for place in places if (place.page, place.section) in sound]
        others = [each.text[a:b].strip() for each in places for a, b in said(each.text) if b - a > 10]
        foreign = [each for other in FOREIGN[code] for each in sentences.get(other, ())]
        samples = [Sample(place.text, code, others, foreign) for place in good]
        caught, made, alone = Counter[str](), Counter[str](), 0
        for kind, number, text in corruptions(samples, CORRUPTIONS, pick):
            made[kind] += 1
            alone += bool(judged(judge, good[number], text)) and kind in WITHOUT_MEANING
            found = judged(judge, good[number], text, True)
            caught[kind] += bool(found)
            if given.show and not found:
                print(f"  missed: {kind}: {good[number].page}#{good[number].section}")
                print("\n".join(difference(good[number].text, text)))
        rules = Counter(item.rule for _, found in asked for item in found)
        print(f"{name} {code}: {len(asked)} of {len(places)} sections as they are refused or asked about "
              f"{dict(rules.most_common())}")
        if given.show:
            for place, found in asked:
                for item in found:
                    print(f"  asked: {place.page}#{place.section}:{item.line} {item.rule}: {item.message}")
        print(f"  beside the source alone, without meaning: {alone} of {sum(made[kind] for kind in WITHOUT_MEANING)}")
        print(f"  as edits, without meaning {rates(caught, made, list(WITHOUT_MEANING))}; with meaning "
              f"{rates(caught, made, [kind for kind in KINDS if kind not in WITHOUT_MEANING])}")
        print("  " + "; ".join(f"{kind} {caught[kind]}/{made[kind]}" for kind in KINDS if made[kind]))
        sys.stdout.flush()
        whole[0] += caught
        whole[1] += made
    print(f"all: without meaning {rates(*whole, list(WITHOUT_MEANING))}")


def difference(old: str, new: str) -> list[str]:
    """The lines that differ."""
    return [f"    {sign} {line[:220]}" for one, other in zip(old.split("\n"), new.split("\n"), strict=False)
            if one != other for sign, line in (("-", one), ("+", other))][:6]


if __name__ == "__main__":
    main()
