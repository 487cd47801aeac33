"""Seed defects into translated pages and count which the rules find: `python -m benchmarks.mutation --tree DIR`.

For every rule and language: defects seeded, found (a finding of that rule that the clean page does not raise), found
within three lines of the defect, and false alarms: findings of that rule that the clean pages raise. What a clean
page raises is printed with --show, to be read by hand: a tree that people wrote has defects of its own.
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from copy import copy
from pathlib import Path

from hexapla import glossary
from hexapla.cache import Cache
from hexapla.checks.context import Document, RuleContext, Violation
from hexapla.checks.engine import tree_check
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.page_store import ids_of
from hexapla.checks.rules.registry import PAGE_RULES
from hexapla.config import discovery
from hexapla.pages.dialects import Dialect
from hexapla.pages.reader import read

from benchmarks.mutation import links, structure, text, tree
from benchmarks.mutation.score import Score, report
from benchmarks.mutation.spots import Seed, Spot

SEEDERS = {**links.SEEDERS, **structure.SEEDERS, **text.SEEDERS}


def main() -> int:
    """Run, print the table, and say by the exit status whether every target was met."""
    options = arguments()
    checker = checker_of(options)
    wanted = [rule for rule in PAGE_RULES if not options.rules or rule.id in options.rules.split(",")]
    cases = [case for case in translated(checker) if not options.pages or options.pages in case.document.path]
    pages = Counter(case.document.language for case in cases)
    scores: dict[tuple[str, str], Score] = defaultdict(Score)
    missed: list[str] = []
    clean = {case.document.path: list(own_findings(checker, case)) for case in cases}
    for case in cases:
        for found in clean[case.document.path]:
            scores[found.rule, case.document.language].alarms += 1
            if options.show and (not options.rules or found.rule in options.rules.split(",")):
                print(f"clean {case.document.path}:{found.line} {found.rule}: {found.message}")
    for rule in wanted:
        rng = random.Random(f"{options.seed}{rule.id}")
        for case, seed in seeds(rule.id, cases, options.defects, rng, checker.store.dialect):
            score = scores[rule.id, case.document.language]
            score.seeded += 1
            new = found_in(checker, case, seed, rule.id, clean[case.document.path])
            score.found += bool(new)
            score.placed += any(abs(found.line - seed.line) <= 3 for found in new)
            if not new:
                missed.append(f"missed {case.document.path}:{seed.line} {rule.id} ({seed.what}): {line_of(case, seed)}")
    asked = options.rules.split(",") if options.rules else tree.RULES
    for rule_id in (rule for rule in tree.RULES if rule in asked):
        for language, found in tree.seeds(rule_id, checker, options.defects, random.Random(f"{options.seed}{rule_id}")):
            score = scores[rule_id, language]
            score.seeded, score.found, score.placed = score.seeded + 1, score.found + found, score.placed + found
    for finding in tree.alarms(checker):
        scores[finding.rule, finding.language].alarms += 1
    if options.show:
        rng = random.Random(options.seed)
        print("\n".join(rng.sample(missed, min(options.show, len(missed)))))
    severity = {rule.id: rule.severity for rule in wanted} | {rule: "warning" for rule in tree.RULES if rule in asked}
    return report(scores, pages, severity, options.defects)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("--tree", type=Path, default=Path(), help="the root of the tree (this project)")
    parser.add_argument("--layout", default="", help="where its translations lie: 'docs/{lang}/{page}.md'")
    parser.add_argument("--source-layout", default="", help="where the source's pages lie, if elsewhere")
    parser.add_argument("--languages", default="", help="codes, with commas between (all)")
    parser.add_argument("--anchors", default="", help="how the tree makes ids")
    parser.add_argument("--glossary", type=Path, help="a table of terms (the tree's docs/glossary.yml)")
    parser.add_argument("--rules", default="", help="ids of rules, with commas between (all)")
    parser.add_argument("--pages", default="", help="only pages whose path holds this")
    parser.add_argument("--defects", type=int, default=1000, help="how many to seed of each rule")
    parser.add_argument("--seed", default="1", help="of the random numbers")
    parser.add_argument("--show", type=int, default=0, help="print what clean pages raise, and so many missed defects")
    return parser.parse_args()


def checker_of(options: argparse.Namespace) -> Checker:
    """A checker without a cache, over the tree."""
    root = options.tree.resolve()
    languages = tuple(filter(None, options.languages.split(",")))
    if options.layout:
        anchors = options.anchors
        found = discovery.layout_of_options(root, options.layout, options.source_layout, "en", languages, anchors)
    else:
        found = discovery.find_layout(discovery.TreeOptions(root, languages=languages, anchors=options.anchors))
    terms = options.glossary or root / "docs/glossary.yml"
    known = glossary.agreed_terms(glossary.parse(terms.read_text("utf-8"))) if terms.is_file() else ()
    return Checker(tree_check.tree_of(found, known), Cache(None), rules=PAGE_RULES)


def translated(checker: Checker) -> Iterator[RuleContext]:
    """Every page that has a source, beside it."""
    source = checker.index.pages[checker.layout.source]
    for path, (language, name) in sorted(checker.index.owners.items(), key=lambda item: (item[1][1], item[0])):
        if language != checker.layout.source and name in source:
            yield checker.context(path, source[name])


def own_findings(checker: Checker, case: RuleContext) -> Iterator[Violation]:
    """What a page raises that its source does not raise too."""
    assert case.source is not None
    inherited = Counter(found.defect for found in checker.own_violations(case.source.path))
    for found in checker.apply(checker.rules, case):
        if inherited[found.defect]:
            inherited[found.defect] -= 1
        else:
            yield found


def seeds(
    rule: str, cases: list[RuleContext], wanted: int, rng: random.Random, dialect: Dialect
) -> Iterator[tuple[RuleContext, Seed]]:
    """Defects of one rule, spread over the pages; fewer than wanted where the tree offers few places."""
    seeders, made, barren = SEEDERS.get(rule, ()), 0, 0
    while seeders and cases and made < wanted and barren < 5 * len(cases) * len(seeders):
        case = rng.choice(cases)
        seed = rng.choice(seeders)(Spot(case, rng, dialect))
        if seed is None or seed.text == case.page.text:
            barren += 1
            continue
        made, barren = made + 1, 0
        yield case, seed


def found_in(checker: Checker, case: RuleContext, seed: Seed, rule: str, clean: list[Violation]) -> list[Violation]:
    """The findings of a rule that the defect adds."""
    check = next(entry.check for entry in PAGE_RULES if entry.id == rule)
    document = case.document
    page = read(seed.text, checker.store.dialect)
    own, tree = ids_of(page, checker.layout.anchors), copy(case.tree)  # in which this page has other ids than its file
    tree.known_ids = {path: ids for path, ids in tree.known_ids.items() if path != document.path}
    tree.read_ids = lambda path: own if path == document.path else case.tree.read_ids(path)
    mutated = case._replace(document=Document(document.name, document.language, document.path, page), tree=tree)
    before = Counter(found.message for found in clean if found.rule == rule)
    new = []
    for found in check(mutated):
        if found.rule != rule:
            continue
        if before[found.message]:
            before[found.message] -= 1
        else:
            new.append(found)
    return new


def line_of(case: RuleContext, seed: Seed) -> str:
    """The first line that the defect changed, cut."""
    before, lines = case.page.text.splitlines(), seed.text.splitlines()
    number = next((k for k, (a, b) in enumerate(zip(before, lines, strict=False)) if a != b), len(lines) - 1)
    return lines[number].strip()[:150] if lines else ""


if __name__ == "__main__":
    sys.exit(main())
