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
from dataclasses import dataclass, replace
from pathlib import Path

from hexapla import glossary, hanzi, layout
from hexapla.checks import over_tree
from hexapla.checks.cache import Cache
from hexapla.checks.context import Case, Document, Found, Settings
from hexapla.checks.rules import RULES
from hexapla.checks.run import Checker
from hexapla.pages.render import read

from benchmarks.mutation import links, structure, text
from benchmarks.mutation.spots import Seed, Spot

SEEDERS = {**links.SEEDERS, **structure.SEEDERS, **text.SEEDERS}
TARGETS = {
    **dict.fromkeys(("link-target-missing", "link-anchor-missing", "link-differs", "link-missing", "link-extra",
                     "link-malformed", "link-host-new", "anchor-unpinned", "anchor-differs", "anchor-fragile",
                     "anchor-duplicate", "code-count", "code-differs", "include-missing", "include-section-missing",
                     "include-empty"), 0.98),
    **dict.fromkeys(("number-differs", "heading-level", "heading-count", "heading-untranslated",
                     "text-untranslated"), 0.9),
}
ALARMS = {"error": 1 / 200, "warning": 1 / 20}  # findings a clean page


@dataclass(slots=True)
class Score:
    """Counts of one rule in one language."""

    seeded: int = 0
    found: int = 0
    placed: int = 0
    alarms: int = 0


def main() -> int:
    """Run, print the table, and say by the exit status whether every target was met."""
    options = arguments()
    checker = checker_of(options)
    wanted = [rule for rule in RULES if not options.rules or rule.id in options.rules.split(",")]
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
        for case, seed in seeds(rule.id, cases, options.defects, rng):
            score = scores[rule.id, case.document.language]
            score.seeded += 1
            new = found_in(checker, case, seed, rule.id, clean[case.document.path])
            score.found += bool(new)
            score.placed += any(abs(found.line - seed.line) <= 3 for found in new)
            if not new:
                missed.append(f"missed {case.document.path}:{seed.line} {rule.id} ({seed.what}): {line_of(seed)}")
    if options.show:
        rng = random.Random(options.seed)
        print("\n".join(rng.sample(missed, min(options.show, len(missed)))))
    return report(scores, pages, {rule.id: rule.severity for rule in wanted})


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
        found = layout.of_options(root, options.layout, options.source_layout, "en", languages, options.anchors)
    else:
        asked = {"layout": None, "source_layout": None, "source": None, "anchors": options.anchors or None}
        found = over_tree.find_layout(argparse.Namespace(root=root, languages=options.languages, **asked))
    terms = options.glossary or root / "docs/glossary.yml"
    known = glossary.parse(terms.read_text("utf-8")) if terms.is_file() else ()
    settings = Settings(known, over_tree.snippet_reader(found), None, hanzi.Converter({}), over_tree.pin(found))
    return Checker(found, over_tree.dialect(found), settings, Cache(None))


def translated(checker: Checker) -> Iterator[Case]:
    """Every page that has a source, beside it."""
    source = checker.tree.pages[checker.layout.source]
    for path, (language, name) in sorted(checker.tree.owners.items(), key=lambda item: (item[1][1], item[0])):
        if language != checker.layout.source and name in source:
            yield checker.case(path, source[name])


def own_findings(checker: Checker, case: Case) -> Iterator[Found]:
    """What a page raises that its source does not raise too."""
    assert case.source is not None
    inherited = Counter((found.rule, found.key or found.message) for found in checker.own(case.source.path))
    for found in checker.ask(case):
        key = (found.rule, found.key or found.message)
        if inherited[key]:
            inherited[key] -= 1
        else:
            yield found


def seeds(rule: str, cases: list[Case], wanted: int, rng: random.Random) -> Iterator[tuple[Case, Seed]]:
    """Defects of one rule, spread over the pages; fewer than wanted where the tree offers few places."""
    seeders, made, barren = SEEDERS.get(rule, ()), 0, 0
    while seeders and cases and made < wanted and barren < 5 * len(cases) * len(seeders):
        case = rng.choice(cases)
        seed = rng.choice(seeders)(Spot(case, rng))
        if seed is None or seed.text == case.page.text:
            barren += 1
            continue
        made += 1
        yield case, seed


def found_in(checker: Checker, case: Case, seed: Seed, rule: str, clean: list[Found]) -> list[Found]:
    """The findings of a rule that the defect adds."""
    check = next(entry.check for entry in RULES if entry.id == rule)
    document = case.document
    page = read(seed.text, checker.documents.dialect)
    mutated = replace(case, document=Document(document.name, document.language, document.path, page))
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


def line_of(seed: Seed) -> str:
    """The line of a defect, cut."""
    lines = seed.text.splitlines()
    return lines[min(seed.line, len(lines)) - 1].strip()[:150] if lines else ""


def report(scores: dict[tuple[str, str], Score], pages: Counter[str], severity: dict[str, str]) -> int:
    """Print a line for each rule and language and one for each rule; 1 where a target was missed."""
    print(f"pages: {', '.join(f'{code} {count}' for code, count in sorted(pages.items()))}")
    print(f"{'rule':24}{'language':10}{'seeded':>7}{'found':>7}{'recall':>8}{'placed':>8}{'alarms':>8}{'a page':>9}")
    failed = 0
    for rule, weight in severity.items():
        total = Score()
        for language in sorted(pages):
            score = scores.get((rule, language), Score())
            print(row(rule, language, score, pages[language]))
            total = Score(total.seeded + score.seeded, total.found + score.found, total.placed + score.placed,
                          total.alarms + score.alarms)
        missed = []
        if total.seeded and total.found / total.seeded < TARGETS.get(rule, 0):
            missed.append(f"recall is below {TARGETS[rule]}")
        if pages and total.alarms / pages.total() > ALARMS.get(weight, 9e9):
            missed.append(f"false alarms are above {ALARMS[weight]} a page unless they are true")
        print(f"{row(rule, 'all', total, pages.total())}  {'; '.join(missed)}")
        failed += bool(missed)
    return 1 if failed else 0


def row(rule: str, language: str, score: Score, pages: int) -> str:
    """One line of the table."""
    shares = (score.found / score.seeded, score.placed / score.seeded) if score.seeded else ()
    recall = "".join(f"{share:8.3f}" for share in shares) or f"{'-':>8}{'-':>8}"
    counts = f"{score.seeded:7}{score.found:7}{recall}{score.alarms:8}{score.alarms / max(pages, 1):9.4f}"
    return f"{rule:24}{language:10}{counts}"


if __name__ == "__main__":
    sys.exit(main())
