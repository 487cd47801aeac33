"""`hexapla check`: its options, and from them to a printed report and an exit status."""

import argparse
import sys
from pathlib import Path

from hexapla.checks.built_site import check_site
from hexapla.checks.engine import baseline
from hexapla.checks.engine.checker import Outcome
from hexapla.checks.engine.service import CheckOptions, check_tree
from hexapla.cli.options import add_tree_arguments, tree_options
from hexapla.cli.terminal import FOUND, coloured, progress
from hexapla.reports import FORMATS, Summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `hexapla check`, `--root` excepted."""
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to report (default: text)")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="pages or folders (default: all)")
    add_tree_arguments(parser)
    parser.add_argument("--fix", action="store_true", help="put in place what is certain: ids, link targets, code")
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="report only what this file does not accept")
    parser.add_argument("--write-baseline", type=Path, metavar="FILE", help="accept today's findings in this file")
    parser.add_argument("--external", action="store_true", help="hand addresses outside the tree to lychee")
    parser.add_argument("--site", type=Path, metavar="DIR", help="check the HTML of a built site instead of its pages")
    parser.add_argument("--site-prefix", default="", metavar="PATH", help="the path that the site is served below")
    parser.add_argument("--no-cache", action="store_true", help="look at every page anew")


def check(chosen: argparse.Namespace) -> int:
    """Check a tree, some of its pages, or a built site; 1 where there is an error or a warning. Raises ConfigError."""
    if chosen.site:
        findings, pages = check_site(chosen.site, chosen.site_prefix)
        outcome = Outcome(tuple(findings), pages, ())
    else:
        options = CheckOptions(
            tree_options(chosen), tuple(chosen.paths), chosen.fix, chosen.external, not chosen.no_cache
        )
        with progress("checking") as step:
            outcome = check_tree(options, step)
    if chosen.write_baseline:
        baseline.save(chosen.write_baseline, outcome.findings)
        sys.stdout.write(f"{len(outcome.findings)} findings accepted in {chosen.write_baseline}\n")
        return 0
    if chosen.baseline:
        accepted = baseline.load(chosen.baseline)
        outcome = outcome._replace(findings=tuple(baseline.new(outcome.findings, accepted)))
    summary = Summary(outcome.pages, outcome.languages, color=coloured())
    sys.stdout.write(FORMATS[chosen.format](outcome.findings, summary))
    return FOUND if any(finding.severity != "note" for finding in outcome.findings) else 0
