"""Put errors of meaning into sections of translations, and count what `hexapla review` doubts, there and elsewhere.

    python -m benchmarks.review TREES_DIR [NAME...] [--errors 1000] [--show KIND...]

In each round one section in ten is given one error, by rules that the review does not know; habits are learned from
the tree with its errors, as they are with a pull request that has some. Of the others each doubt is a false alarm.
`--show alarm` prints them; those that somebody read and found true are in judgements.yml, and both numbers are printed.
"""

import argparse
import random
import re
from collections import Counter
from pathlib import Path

import yaml
from hexapla.cache import Cache
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.review.doubts import Languages
from hexapla.review.said_pairs import read_texts
from hexapla.review.tree_review import (
    ReviewedSection,
    certain_doubts,
    habits_without,
    read_sections,
    section_habits,
)
from hexapla.translation.sections.segments import all_segments
from hexapla.translation.translation_tree import TranslationTree, read_tree

from benchmarks.judge.corruptions import (
    CONDITION,
    NEGATION,
    NUMBER,
    Corrupt,
    Sample,
    cells_swapped,
    comparison_turned,
    condition_dropped,
    exchanged,
    negation_turned,
    places,
    prose,
    put,
    said,
    sentence_added,
    sentence_dropped,
    sentence_twice,
    unit_changed,
)

HERE = Path(__file__).parent
SEED, SHARE = 42, 10
PROCESSOR = re.compile(r"(?<![\w`/.#-])[CGT]PU(?=s?(?![\w`/-]))", re.A)
OTHERS = {"CPU": "GPU", "GPU": "CPU", "TPU": "GPU"}


def processor_changed(sample: Sample, pick: random.Random) -> str | None:
    """CPU for GPU, wherever one stands."""
    found = places(sample.text, PROCESSOR, True)
    if not found:
        return None
    chosen = pick.choice(found)
    return put(sample.text, *chosen.span(), OTHERS[chosen[0]])


def numbers_swapped(sample: Sample, pick: random.Random) -> str | None:
    """Two numbers of one paragraph in each other's place."""
    lines = [[each.span() for each in places(sample.text, NUMBER) if first <= each.start() < last]
             for first, last in prose(sample.text)]
    several = [line for line in lines if len({sample.text[slice(*span)] for span in line}) > 1]
    return exchanged(sample.text, pick.choice(several), pick) if several else None


KINDS: dict[str, Corrupt] = {
    "sentence dropped": sentence_dropped, "sentence added": sentence_added, "sentence twice": sentence_twice,
    "numbers swapped": numbers_swapped, "cells swapped": cells_swapped, "CPU for GPU": processor_changed,
    "unit changed": unit_changed, "negation turned": negation_turned, "comparison turned": comparison_turned,
    "condition dropped": condition_dropped,
}
WITH_MEANING = {"negation turned", "comparison turned", "condition dropped"}


def opened(tree: dict[str, str], trees: Path) -> TranslationTree:
    """A tree by its row of trees.yml."""
    root = trees / tree["root"] if tree["root"] else HERE.parents[1]
    codes = tuple(tree.get("languages", "").split())
    layout = find_layout(TreeOptions(root, tree["layout"], "", "", codes, ""))
    return read_tree(layout, lambda path: "", lambda path: "", Cache(None))


def main() -> None:
    """Print what came of each language of each tree."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("trees", type=Path)
    arguments.add_argument("names", nargs="*", help="trees to measure (default: all)")
    arguments.add_argument("--errors", type=int, default=1000, help="in each language of each tree")
    arguments.add_argument("--show", nargs="*", default=(), help="errors of these kinds that were missed; `alarm`")
    given = arguments.parse_args()
    judged = yaml.safe_load((HERE / "judgements.yml").read_text("utf-8"))
    for row in yaml.safe_load((HERE / "trees.yml").read_text("utf-8")):
        if given.names and row["name"] not in given.names:
            continue
        tree = opened(row, given.trees)
        for code in tree.languages:
            if code not in NEGATION and code not in {"de", "es"}:
                continue
            caught, made, doubted, looked = measured(tree, code, given.errors, given.show)
            wrong = {each["section"] for each in judged[row["name"]].get(code, ()) if "wrong" in each}
            report(f"{row['name']} {code}", caught, made, [len(doubted), len(doubted - wrong)], looked)


def report(name: str, caught: Counter[str], made: Counter[str], alarms: list[int], looked: int) -> None:
    """Print recall and false alarms, all and without those that are wrong in truth."""
    kinds = [kind for kind in KINDS if made[kind]]
    plain = [kind for kind in kinds if kind not in WITH_MEANING]
    whole = sum(made[kind] for kind in plain) or 1
    recall = sum(caught[kind] for kind in plain) / whole
    all_of, false = (f"{each} of {looked}, {each / max(looked, 1) * 500:.2f} in 500" for each in alarms)
    print(f"{name}: recall {recall:.3f} of {whole}; sections doubted of those untouched {all_of}; "
          f"without those that were read and are wrong {false}")
    print("  " + "; ".join(f"{kind} {caught[kind]}/{made[kind]} ({caught[kind] / made[kind]:.2f})" for kind in kinds),
          flush=True)


def measured(
    tree: TranslationTree, code: str, errors: int, show: list[str]
) -> tuple[Counter[str], Counter[str], set[str], int]:
    """What was caught and made by kind; sections doubted before any error is put in, and how many there are.
    """
    languages = Languages(tree.layout.source, code)
    sections = list(read_sections(tree, code))
    texts = [tree.section_text(code, section.page, section.here) for section in sections]
    kinds = {name: kind for name, kind in KINDS.items() if name not in WITH_MEANING or code in CONDITION}
    others = [text[a:b].strip() for text in texts for a, b in said(text) if b - a > 10]
    pick, caught, made = random.Random(SEED), Counter[str](), Counter[str]()
    habits = section_habits(sections)
    doubted, sound = set[str](), list[int]()
    for each, section in enumerate(sections):
        found = certain_doubts(section, habits_without(habits, section), languages)
        if found:
            doubted.add(f"{section.page}#{section.section}")
        else:
            sound.append(each)
        for doubt in found if "alarm" in show else ():
            print(f"  alarm: {section.page}#{section.section} {doubt.kind}: {doubt.message}")
            print("\n".join(f"    {text.text[:300]}" for text in doubt.pair if text))
    while sum(made.values()) < errors:
        before, changed = sum(made.values()), dict[int, tuple[str, ReviewedSection]]()
        for number, each in enumerate(pick.sample(sound, max(len(sound) // SHARE, 1))):
            for kind in [*kinds][number % len(kinds) :] + [*kinds][: number % len(kinds)]:
                new = kinds[kind](Sample(texts[each], code, others, ()), pick)
                if new is not None and new != texts[each]:
                    closes_fence = tree.layout.closes_fence(sections[each].path)
                    changed[each] = kind, sections[each]._replace(
                        target=read_texts(all_segments(new, closes_fence), code))
                    break
        habits = section_habits([changed[each][1] if each in changed else section
                                 for each, section in enumerate(sections)])
        for each, (kind, section) in changed.items():
            made[kind] += 1
            if certain_doubts(section, habits_without(habits, section), languages):
                caught[kind] += 1
            elif kind in show:
                print(f"  missed: {kind}: {section.page}#{section.section}")
                for old, new in zip(sections[each].target, section.target, strict=False):
                    if old.text != new.text:
                        print(f"    - {old.text[:300]}\n    + {new.text[:300]}")
        if sum(made.values()) == before:
            break
    return caught, made, doubted, len(sections)


if __name__ == "__main__":
    main()
