"""`hexapla check`: its options, and one run of it from options to a report and an exit status."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hexapla.checks.finding import Finding
from hexapla.cli.options import add_tree_arguments

if TYPE_CHECKING:
    from hexapla.checks.engine.context import Garbled, OwnTerms

OK, FOUND = 0, 1
# Findings in order, how many pages were looked at, and their languages, as a text to print.
Report = Callable[[tuple[Finding, ...], int, tuple[str, ...]], str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hexapla check` takes, `--root` and `--format` excepted: those are common to all commands."""
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="pages or folders (default: all)")
    add_tree_arguments(parser)
    parser.add_argument("--fix", action="store_true", help="put in place what is certain: ids, link targets, code")
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="report only what this file does not accept")
    parser.add_argument("--write-baseline", type=Path, metavar="FILE", help="accept today's findings in this file")
    parser.add_argument("--external", action="store_true", help="hand addresses outside the tree to lychee")
    parser.add_argument("--site", type=Path, metavar="DIR", help="check the HTML of a built site instead of its pages")
    parser.add_argument("--site-prefix", default="", metavar="PATH", help="the path that the site is served below")
    parser.add_argument("--no-cache", action="store_true", help="look at every page anew")


def run(
    args: argparse.Namespace,
    report: Report,
    own_terms: "OwnTerms" = lambda root, parsed: (),
    garbled: "Garbled | None" = None,
    traditional: Callable[[str], str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[str, int]:
    """The text to print and the exit status: 1 where there is an error or a warning. Raises ConfigError.

    `progress` is told how many pages are done, and of how many. A built site is checked without what reads pages:
    half of the time of a small one would go into importing that.
    """
    if args.site:
        from hexapla.checks.built_site import check_site

        findings, pages = check_site(args.site, args.site_prefix)
        return report(tuple(findings), pages, ()), FOUND if findings else OK
    from hexapla.checks.engine.service import check_tree

    outcome = check_tree(args, own_terms, garbled, traditional, progress)
    found = outcome.findings
    if args.write_baseline or args.baseline:
        from hexapla.checks.engine import baseline
    if args.write_baseline:
        baseline.save(args.write_baseline, found)
        return f"{len(found)} findings accepted in {args.write_baseline}\n", OK
    if args.baseline:
        found = tuple(baseline.new(found, baseline.load(args.baseline)))
    failed = any(finding.severity != "note" for finding in found)
    return report(found, outcome.pages, outcome.languages), FOUND if failed else OK
