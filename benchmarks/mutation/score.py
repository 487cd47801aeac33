"""What was seeded and found, rule by rule, against what is to be reached."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

TARGETS = {
    **dict.fromkeys(("link-target-missing", "link-anchor-missing", "link-differs", "link-missing", "link-extra",
                     "link-malformed", "link-host-new", "anchor-unpinned", "anchor-differs", "anchor-fragile",
                     "anchor-duplicate", "code-count", "code-extra", "code-differs", "include-missing",
                     "include-section-missing", "include-empty"), 0.98),
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


def report(
    scores: Mapping[tuple[str, str], Score], pages: Counter[str], severity: Mapping[str, str], wanted: int
) -> int:
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
        if total.seeded < wanted:
            missed.append(f"the tree offers {total.seeded} places")
        if pages and total.alarms / pages.total() > ALARMS.get(weight, 9e9):
            missed.append(f"false alarms are above {ALARMS[weight]} a page unless they are true")
        print(f"{row(rule, 'all', total, pages.total())}  {'; '.join(missed)}")
        failed += bool(missed) and missed != [f"the tree offers {total.seeded} places"]
    return 1 if failed else 0


def row(rule: str, language: str, score: Score, pages: int) -> str:
    """One line of the table."""
    shares = (score.found / score.seeded, score.placed / score.seeded) if score.seeded else ()
    recall = "".join(f"{share:8.3f}" for share in shares) or f"{'-':>8}{'-':>8}"
    counts = f"{score.seeded:7}{score.found:7}{recall}{score.alarms:8}{score.alarms / max(pages, 1):9.4f}"
    return f"{rule:24}{language:10}{counts}"
