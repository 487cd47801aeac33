"""`hexapla ci`: what a tree lacks to be checked at each change and looked after, and what the first run will show."""

import argparse
import sys
from collections.abc import Iterator

from hexapla.checks.engine.baseline import save_baseline
from hexapla.checks.engine.checker import Outcome
from hexapla.checks.engine.tree_check import CheckOptions, check_tree
from hexapla.cli.options import repeated_options, tree_options
from hexapla.cli.terminal import FOUND, show_progress
from hexapla.config.discovery import find_root
from hexapla.report_text import plural
from hexapla.reports.summary import count_rules, count_totals
from hexapla.setup.ci_files import CONFIGURATION, CiPlan, plan_ci, write_ci


def ci(chosen: argparse.Namespace) -> int:
    """`hexapla ci`: write configuration, baseline and workflows; 1 where somebody has to add a text by hand."""
    options = tree_options(chosen)
    root = find_root(options)
    with show_progress("checking") as step:
        outcome = check_tree(CheckOptions(options, parity=False, baseline_due=True), step)
    plan = plan_ci(root, options, chosen.hosts, any(each.severity != "note" for each in outcome.findings))
    lines = list(describe_plan(plan, chosen.write))
    if chosen.write:
        if plan.new_baseline:
            save_baseline(root / plan.new_baseline, outcome.findings)
        write_ci(plan)
        outcome = check_tree(CheckOptions(options, parity=False))
    lines += [*outcome.understood, *describe_run(outcome, "" if chosen.write else plan.new_baseline)]
    left = any(each.theirs for each in plan.hosts)
    if not chosen.write and (plan.configuration or plan.new_baseline or plan.to_write):
        lines.append("nothing was written; write it with --write")
    else:
        known = argparse.Namespace(root=chosen.root) if plan.configuration else chosen  # which has the other options
        lines.append(f"next: hexapla check{repeated_options(known)}")
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return FOUND if left else 0


def describe_plan(plan: CiPlan, write: bool) -> Iterator[str]:
    """A line for each file, and the text of each that somebody has to add to a file of theirs."""
    done = "written" if write else "would be written"
    ours = [CONFIGURATION] * bool(plan.configuration) + [plan.new_baseline] * bool(plan.new_baseline)
    for name in (*(plan.root / each for each in ours), *(plan.top / each.path for each in plan.to_write)):
        yield f"{name.relative_to(plan.top).as_posix()}: {done}"
    for each in plan.hosts:
        if each.theirs:
            yield f"{each.path}: is yours and stays as it is; add this to it:\n\n{each.text}"
        elif each not in plan.to_write:
            yield f"{each.path}: has this already, and stays as it is"


def describe_run(outcome: Outcome, accepted: str) -> Iterator[str]:
    """What the first run shows; `accepted` is the baseline that will hold what was found, or ""."""
    languages = ", ".join(outcome.languages)
    where = f"in {plural(outcome.pages, 'page')}" + f" ({languages})" * bool(languages)
    if accepted and outcome.findings:
        rules = ", ".join(f"{count} {rule}" for rule, count in count_rules(outcome.findings).items())
        yield f"found today, and accepted by {accepted}: {count_totals(outcome.findings)} ({rules})"
    found = "nothing found" if accepted else count_totals(outcome.findings)
    yield f"the first run: {found} {where}; findings that are new fail"
