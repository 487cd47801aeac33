"""Whether the rows of `hexapla.checks.engine.certainty` hold on the judged findings: `python -m benchmarks.trees.rows`

For each row: how many findings of translations, and of the source, were true as they were drawn, and the severity that
they give. Then each tree is left out in turn, the others give the severities, and what is left out is counted by them.
A page is a translation where its path names a language other than the source's (`source` of the tree, else `en`).
Whether the source showed the same as a translation was not kept, so the rows of what translations lost are at least as
good as counted here.
"""

import re
from collections import Counter, defaultdict
from typing import Any

import yaml
from hexapla.checks.engine.certainty import CERTAINTIES, Certainty, fits
from hexapla.checks.finding import Finding
from hexapla.checks.rules.links.identity import FILE_LANGUAGE, languages_named
from hexapla.languages import base

from benchmarks.trees.__main__ import BARS, HERE

TREES = 3  # at least, that a severity is taken from
FOLDERS = re.compile(r"/(?:i18n|translated|guide-\w\w)/")
Kind = tuple[Certainty, bool]


def is_translation(path: str, tree: dict[str, Any]) -> bool:
    """Whether a page's path names another language than the source's; a tree of one language has no translations."""
    named = re.search(FILE_LANGUAGE, path)
    codes = {base(code.replace("_", "-").lower()) for code in languages_named(f"/{path}")}
    codes |= {base(named[0][1:].replace("_", "-").lower())} if named else set()
    return tree["languages"] > 1 and bool(codes - {tree.get("source", "en")} or FOLDERS.search(f"/{path}"))


def kind_of(judged: dict[str, Any], tree: dict[str, Any]) -> Kind | None:
    """The row for a judged finding, and whether a translation has it; None where no row is for its rule."""
    target = re.search(r"leads nowhere: ['\"](.*)['\"]$", judged["message"])
    finding = Finding(judged["path"], judged["line"], 1, judged["rule"], judged["message"], "",
                      subject=target[1] if target else "")
    row = next((row for row in CERTAINTIES if fits(row, finding, tree["framework"])), None)
    return (row, is_translation(judged["path"], tree)) if row else None


def severity_of(by_tree: dict[str, Counter[bool]]) -> str:
    """The severity that judged findings of some trees give a kind."""
    true, total = (sum(counted[each] for counted in by_tree.values() for each in kinds)
                   for kinds in ((True,), (True, False)))
    return next((name for name, bar in BARS.items() if len(by_tree) >= TREES and true >= bar * total), "note")


def main() -> None:
    """Print the rows and what leaving out gives."""
    judgements = yaml.load((HERE / "judgements.yml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    trees = {tree["name"]: tree for tree in yaml.safe_load((HERE / "trees.yml").read_text(encoding="utf-8"))}
    counted: dict[Kind, dict[str, Counter[bool]]] = defaultdict(lambda: defaultdict(Counter))
    for each in judgements:
        if kind := kind_of(each, trees[each["tree"]]):
            counted[kind][each["tree"]][each["true"]] += 1
    left_out: dict[str, Counter[bool]] = defaultdict(Counter)
    for row, lost in sorted(counted, key=lambda kind: (CERTAINTIES.index(kind[0]), not kind[1])):
        by_tree = counted[row, lost]
        for name, found in by_tree.items():
            others = {other: each for other, each in by_tree.items() if other != name}
            left_out[severity_of(others)].update(found)
        found = sum(by_tree.values(), Counter[bool]())
        about = " ".join((row.rule, row.said, row.target, *row.frameworks))
        print(f"{about}, {'translations' if lost else 'source'}: {found[True]} of {found.total()} true in "
              f"{len(by_tree)} trees: {severity_of(by_tree)}, the table has {row.lost if lost else row.shown}")
    for severity, found in left_out.items():
        print(f"each tree left out, {severity}: {found[True]} of {found.total()} true")


if __name__ == "__main__":
    main()
