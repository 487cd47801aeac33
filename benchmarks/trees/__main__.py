"""`hexapla check` without options on others' documentation: what is understood, found, and true.

    python -m benchmarks.trees [FOLDER] [--only NAME,NAME] [--draw SEED]

FOLDER has the trees of trees.yml, each in a folder of its name at its commit. A line a tree: the framework and the
languages that were recognised, pages read of those that the framework builds (its globs), CPU seconds, and findings by
rule. `--draw SEED` prints 20 errors and 10 warnings of each tree to judge by reading, as entries for judgements.yml:
`true` says whether a reader of that page meets what the finding says. What is judged there is counted at the end, by
severity, by rule, and by rule and framework; judgements of findings that are no longer made count for nothing. Without
FOLDER all judgements are counted, as they were made.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hexapla.checks.rules.registry import BY_ID

HERE = Path(__file__).parent
COMMAND = [sys.executable, "-c", "import sys; from hexapla.cli import main; sys.exit(main(sys.argv[1:]))", "check"]
DRAWN = {"error": 20, "warning": 10}  # of a tree
BARS = {"error": 0.97, "warning": 0.9, "note": 0.0}
FOLDED = {"anchor-unpinned"}  # one line a tree in the report for people


def check_tree(root: Path) -> tuple[dict[str, Any], str, float]:
    """The report of a check, the line that says what was understood, and CPU seconds; nothing is kept between runs.

    It has one core, so that no process of its own goes uncounted.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*COMMAND, "--root", str(root), "--no-cache", "--format", "json"], capture_output=True,
                          text=True, check=False, preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        sys.exit(f"{root}: {done.stderr[-500:]}")
    report = json.loads(done.stdout)
    understood = report["summary"].get("understood") or [""]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return report, understood[0], seconds


def built_pages(root: Path, tree: dict[str, Any]) -> int:
    """How many files the framework makes pages of, by its own globs."""
    found = {path for glob in tree["built"] for path in root.glob(glob)}
    return len(found - {path for glob in tree.get("without", ()) for path in root.glob(glob)})


def identity(finding: dict[str, Any]) -> tuple[str, int, str, str]:
    """What a judgement is about."""
    return finding["path"], finding["line"], finding["rule"], finding["message"]


def draw(name: str, findings: list[dict[str, Any]], seed: int) -> Iterator[dict[str, Any]]:
    """Findings to judge, as entries without a verdict."""
    for severity, most in DRAWN.items():
        asked = [each for each in findings if each["severity"] == severity and each["rule"] not in FOLDED]
        for each in random.Random(f"{seed} {name}").sample(asked, min(most, len(asked))):
            yield {"tree": name, "seed": seed, **{key: each[key] for key in ("path", "line", "rule", "message")}}


def precision_lines(judged: list[tuple[dict[str, Any], bool]]) -> Iterator[str]:
    """How many judged findings are true, by severity, by rule, and by rule and framework: `<` where below the bar."""
    for keys in (("severity",), ("rule",), ("rule", "framework")):
        counted: dict[str, Counter[bool]] = defaultdict(Counter)
        for finding, verdict in judged:
            counted[" ".join(finding[key] for key in keys)][verdict] += 1
        for name, found in sorted(counted.items()):
            bar = BARS.get(name) or BARS[BY_ID[name.split()[0]].severity]
            below = " <" * (found[True] < bar * found.total())
            yield f"{name}: {found[True]} of {found.total()} true{below}"


def main() -> None:
    """Check the trees and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", default="", help="names of trees: a,b")
    parser.add_argument("--draw", type=int, metavar="SEED")
    chosen = parser.parse_args()
    judgements = yaml.load((HERE / "judgements.yml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    verdicts = {(each["tree"], *identity(each)): each["true"] for each in judgements}
    trees = yaml.safe_load((HERE / "trees.yml").read_text(encoding="utf-8"))
    known = {tree["name"]: {"framework": tree["framework"]} for tree in trees}
    judged: list[tuple[dict[str, Any], bool]] = []
    if chosen.folder is None:
        judged = [({**each, **known[each["tree"]], "severity": BY_ID[each["rule"]].severity}, each["true"])
                  for each in judgements]
        trees = []
    for tree in trees:
        name, root = tree["name"], chosen.folder / tree["name"]
        if not root.is_dir() or (chosen.only and name not in chosen.only.split(",")):
            continue
        report, understood, seconds = check_tree(root)
        findings, pages = report["findings"], report["summary"]["pages"]
        languages = len(report["summary"]["languages"])
        right = understood.startswith(f"{tree['framework']}, ") and languages == tree["languages"]
        counts = Counter(each["rule"] for each in findings)
        print(f"{name} ({tree['repository']} {tree['commit'][:9]}): {understood}{'' if right else ' WRONG'}; "
              f"{pages} of {built_pages(root, tree)} pages, {seconds:.0f} s CPU; "
              + ", ".join(f"{rule} {count}" for rule, count in counts.most_common()), flush=True)
        if chosen.draw is not None:
            print(yaml.safe_dump([*draw(name, findings, chosen.draw)], allow_unicode=True, sort_keys=False, width=1000))
        mine = [({**each, **known[name]}, verdicts[name, *identity(each)]) for each in findings
                if (name, *identity(each)) in verdicts]
        judged += mine
        if mine:
            print(f"  judged: {sum(verdict for _, verdict in mine)} of {len(mine)} true")
    print("\n".join(precision_lines(judged)))


if __name__ == "__main__":
    main()
