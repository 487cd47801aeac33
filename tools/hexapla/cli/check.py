"""`hexapla check`: its options, and from them to a printed report and an exit status."""

import argparse
import sys
from collections.abc import Iterator
from typing import TextIO

from hexapla.checks.engine.checker import Outcome
from hexapla.checks.engine.fixes import describe_fixes, fix_difference, is_left
from hexapla.checks.engine.other_packages import load_rules
from hexapla.checks.engine.tree_check import CheckOptions, check_tree
from hexapla.checks.finding import Finding
from hexapla.checks.rules.manual import explain_rule
from hexapla.checks.rules.selection import OtherRules, RuleSet, configured, known_rule, of_options
from hexapla.cli.options import TREE, command_again, option_words, tree_options
from hexapla.cli.terminal import CRASHED, FOUND, show_progress, wants_colour
from hexapla.config.discovery import find_layout
from hexapla.config.layout import Layout
from hexapla.errors import ConfigError, failure_place
from hexapla.examples.evidence_store import read_files
from hexapla.reports import FORMATS, Summary

# By the command that writes fixes.
REPEATED = TREE | dict.fromkeys(("select", "ignore", "severity", "rules_from", "parity"))


def check(chosen: argparse.Namespace) -> int:
    """Check a tree, pages or a built site; 1 for errors and warnings, 3 where a rule fails. Raises ConfigError."""
    others = load_rules(chosen.rules_from)
    if chosen.explain:
        sys.stdout.write(explain_rule(known_rule(chosen.explain, "--explain", others.known)))
        return 0
    if chosen.write and not chosen.fix:
        raise ConfigError("--write writes what --fix shows; give both, or neither")
    try:
        outcome = check_wanted(chosen, others)
    except (ConfigError, OSError):
        raise
    except Exception as error:
        message, hint = f"Hexapla itself failed: {failure_place(error)}", "report it with what stands on standard error"
        failed = Finding(path=".", line=1, column=1, rule="check-failed", message=message, hint=hint)
        sys.stdout.write(FORMATS[chosen.format]([failed], Summary(0, (), color=wants_colour())))
        raise
    if chosen.write_baseline and not chosen.site:
        sys.stdout.write(f"{len(outcome.findings)} findings accepted in {chosen.write_baseline}\n")
        return 0
    command = command_again("check", chosen.paths, option_words(chosen, REPEATED), "--fix", "--write")
    show_fixes(outcome, "" if chosen.write else command, sys.stdout if chosen.format == "text" else sys.stderr)
    summary = Summary(outcome.pages, outcome.languages, wants_colour(), others.known, outcome.understood,
                      command_again("check", chosen.paths, option_words(chosen, TREE), "--select", "anchor-unpinned",
                                    "--fix", "--write"), outcome.shown_lines)
    sys.stdout.write(FORMATS[chosen.format](outcome.findings, summary))
    if chosen.verify:
        stream = sys.stdout if chosen.format == "text" else sys.stderr
        stream.writelines(f"{line}\n" for line in describe_evidence(find_layout(tree_options(chosen))))
    if any(finding.rule == "rule-failed" for finding in outcome.findings):
        return CRASHED
    return FOUND if is_left(outcome.fixes) or any(finding.severity != "note" for finding in outcome.findings) else 0


def check_wanted(chosen: argparse.Namespace, others: OtherRules) -> Outcome:
    """What was found in the tree or the built site that the options name."""
    rules = of_options(chosen.select, chosen.ignore, chosen.severity, others.known)
    if chosen.site:
        from hexapla.checks.built_site import check_site

        findings, pages = check_site(chosen.site, chosen.site_prefix)
        return Outcome(tuple(configured(findings, RuleSet(command=rules, others=others))), pages, ())
    options = CheckOptions(
        tree_options(chosen), tuple(chosen.paths), chosen.fix, chosen.write, chosen.external, not chosen.no_cache,
        rules=rules, baseline=chosen.baseline, write_baseline=chosen.write_baseline, others=others,
        parity=chosen.parity, shown_lines=chosen.format == "html",
    )
    with show_progress("checking") as step:
        return check_tree(options, step)


def describe_evidence(layout: Layout) -> Iterator[str]:
    """A line for each file of evidence: how many runs, who has signed them, and how many a CI job recorded."""
    files = [file for folder in layout.snippets[:1] for file in read_files(folder / "evidence")]
    for file in files:
        runs = file.evidence.runs.values() if file.evidence else ()
        signer = file.evidence.signer if file.evidence else ""
        signed = f"signed by {signer}" if signer else "not signed: anybody may have written them"
        jobs = sum(bool(run.job) for run in runs)
        yield f"{file.path.name}: {len(runs)} runs, {signed}; {jobs} name a CI job, {len(runs) - jobs} none"
    if not files:
        yield "no evidence is recorded here"


def show_fixes(outcome: Outcome, command: str, stream: TextIO) -> None:
    """The difference that fixes make, what each changed or left, and the `command` that writes them, "" for done."""
    lines = list(fix_difference(outcome.fixes)) if command else []
    lines += describe_fixes(outcome.fixes, not command)
    if command and any(each.made for each in outcome.fixes):
        lines.append(f"nothing was written; write it with: {command}")
    stream.write("".join(f"{line}\n" for line in lines))
