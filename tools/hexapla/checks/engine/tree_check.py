"""Check a tree: find its layout, terms and rules, choose the pages, check them, apply fixes and a baseline."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from hexapla.cache import Cache
from hexapla.checks.alignment import line_beside
from hexapla.checks.engine import baseline, finding_groups, fixes, unchanged_tree
from hexapla.checks.engine.certainty import by_certainty
from hexapla.checks.engine.checker import Checker, Outcome, Progress, Tree
from hexapla.checks.engine.other_packages import load_rules
from hexapla.checks.external_links import check_external_links
from hexapla.checks.finding import Finding, ShownLines, subtract_findings
from hexapla.checks.rules.registry import BY_ID, PAGE_RULES, READERS
from hexapla.checks.rules.selection import EVERYTHING, OtherRules, RuleSet, Selection, configured, of_settings
from hexapla.config.checks_config import accepted_findings, compares_all, find_checks
from hexapla.config.discovery import SnippetFolders, TreeOptions, find_layout, find_root
from hexapla.config.layout import Layout
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import find_terms
from hexapla.config.tree_description import describe_pages
from hexapla.errors import ConfigError
from hexapla.glossary import Term
from hexapla.processes import count_cores

ALONE = 24  # pages that one process has checked before others have started
BEFORE, AFTER = 1, 4  # lines shown around the one that is meant

WHAT_READERS_MEET = Selection(ignore=frozenset(BY_ID) - READERS)  # of a tree that is not ours, without options


class CheckOptions(NamedTuple):
    """What to check, by which rules, and how: `paths` are pages or folders, none for the whole tree."""

    tree: TreeOptions = TreeOptions()
    paths: tuple[Path, ...] = ()
    fix: bool = False
    write: bool = False  # fixes, which are proposed otherwise
    external: bool = False
    cached: bool = True
    jobs: int = 0  # processes; 0 for as many as there are cores
    rules: Selection = EVERYTHING.command
    baseline: Path | None = None
    write_baseline: Path | None = None
    baseline_due: bool = False  # the one that the settings name accepts nothing where it is not written yet
    others: OtherRules | None = None  # None for those that the user's environment enables
    parity: bool = True  # compare all, in a tree that is not ours too
    shown_lines: bool = False  # find the lines of both pages that each finding is about


def check_tree(options: CheckOptions, progress: Progress | None = None) -> Outcome:
    """The findings of a tree, after fixes that are written, without those that a baseline accepts.

    Raises ConfigError, and OSError where a fix cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="hexapla-") as scratch:  # processes hand each other pages by a cache
        cache = Cache(find_root(options.tree) if options.cached else Path(scratch))
        try:
            layout = find_layout(options.tree)
            tree = tree_of(layout, find_terms(options.tree.root, cache))
            outcome, checker, paths = run_check(tree, cache, options, progress)
            if paths is None:
                outcome = outcome._replace(understood=tuple(describe_pages(layout, checker.index.owners)))
            external = external_findings(checker, paths, cache) if options.external else []
            if options.fix:
                proposed = proposed_fixes(tree, cache, options, outcome, checker, external)
                if options.write:
                    proposed = fixes.write_fixes(layout.root, proposed)
                    if any(each.made for each in proposed):
                        again, checker, paths = run_check(tree, cache, options, progress)
                        outcome = again._replace(understood=outcome.understood)
                    written = {each for file in proposed for each in file.made}
                    external = [each for each in external if each not in written]
                outcome = outcome._replace(fixes=tuple(proposed))
            outcome = outcome._replace(findings=(*outcome.findings, *external))
            if options.write_baseline:
                baseline.save_baseline(options.write_baseline, outcome.findings)
            elif accepted := options.baseline or accepted_findings(layout.root, options.baseline_due):
                outcome = outcome._replace(findings=tuple(subtract_findings(outcome.findings, baseline.load(accepted))))
            elif folds_groups(options, checker):
                outcome = outcome._replace(findings=tuple(finding_groups.fold_groups(checker, outcome.findings)))
            if options.shown_lines:
                outcome = outcome._replace(
                    shown_lines=tuple(find_shown_lines(checker, each) for each in outcome.findings))
        finally:
            cache.close()
    return outcome


def find_shown_lines(checker: Checker, finding: Finding) -> tuple[ShownLines, ...]:
    """The lines of a finding's page, then those of its source; none where one of the two cannot be read.

    Where the rule names no line of the source, that is the line of the block that stands for the finding's.
    """
    if finding.path not in checker.index.owners:
        return ()
    try:
        page = checker.store.page(finding.path)
        source = checker.source_of(finding.path)
        found = [cut_lines(finding.path, finding.language, page.lines, finding.line)]
        if source:
            original = checker.store.page(source)
            line = finding.source_line or line_beside(page, original, finding.line)
            found.append(cut_lines(source, checker.layout.source, original.lines, line))
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(found)


def cut_lines(path: str, language: str, lines: tuple[str, ...], line: int) -> ShownLines:
    """A line of a page and those around it, without their ends."""
    first = max(line - BEFORE, 1)
    cut = tuple(each.rstrip("\r\n") for each in lines[first - 1 : line + AFTER])
    return ShownLines(path, language, first, cut, line)


def folds_groups(options: CheckOptions, checker: Checker) -> bool:
    """Whether findings that say one thing stand as one: in another's tree, whole, where nobody has chosen rules.

    What is compared with another run, as a baseline is, has each finding by itself.
    """
    rules = options.rules
    chosen = options.paths or options.baseline_due or rules.select is not None or rules.severity
    return checker.selected.tree == WHAT_READERS_MEET and not chosen and "link-unresolved-group" not in rules.ignore


def external_findings(checker: Checker, paths: list[str] | None, cache: Cache) -> list[Finding]:
    """What was found of addresses outside the tree; that nobody could tell now stays a note. Raises ConfigError."""
    found = [*check_external_links(checker.links(paths), checker.source_links, cache.folder)]
    notes = {each.subject for each in found if each.severity == "note"}
    return [each._replace(severity="note") if each.subject in notes else each
            for each in configured(found, checker.selected)]


def proposed_fixes(
    tree: Tree, cache: Cache, options: CheckOptions, outcome: Outcome, checker: Checker, external: Sequence[Finding]
) -> list[fixes.FileFixes]:
    """The fixes of what was found in the tree, and outside it, without those that would make other findings."""
    def check_unwritten(files: Mapping[str, bytes]) -> Sequence[Finding]:
        return run_check(tree, cache, options._replace(jobs=1), None, files)[0].findings

    root, store = tree.layout.root, checker.store
    proposed = fixes.propose_fixes(root, (*outcome.findings, *external), store.read, store.has_read)
    return fixes.without_new_findings(root, proposed, outcome.findings, check_unwritten, store.read)


def rule_set(
    mkdocs_yml: Path, command: Selection = EVERYTHING.command, others: OtherRules | None = None
) -> RuleSet:
    """The rules that a tree's configuration and the command line select. Raises ConfigError.

    `others` are rules of other packages, by default those that the user's environment enables.
    """
    found = find_checks(mkdocs_yml, read_settings(mkdocs_yml) if mkdocs_yml.is_file() else {})
    return of_settings(found.settings, found.place, command, load_rules() if others is None else others)


def run_check(
    tree: Tree, cache: Cache, options: CheckOptions, progress: Progress | None, files: Mapping[str, bytes] | None = None
) -> tuple[Outcome, Checker, list[str] | None]:
    """One check of the pages that the options name, its checker, and their paths (None for all).

    `files` has pages as they would be, to be read instead of those on disk.
    """
    root = tree.layout.root
    selected = rule_set(root / "mkdocs.yml", options.rules, options.others)
    if not options.parity and selected.tree == EVERYTHING.tree and not compares_all(root):
        selected = selected._replace(tree=WHAT_READERS_MEET)
    checker = Checker(tree, cache, tree.layout.repository, selected.run(PAGE_RULES), selected)
    checker.store.unwritten = files or {}
    paths = chosen_pages(options.paths, checker)
    outcome = check(checker, paths, options.jobs or count_cores(), progress)
    if selected.tree == WHAT_READERS_MEET and not has_baseline(root, options):
        outcome = outcome._replace(findings=tuple(by_certainty(checker, outcome.findings)))
    return outcome, checker, paths


def has_baseline(root: Path, options: CheckOptions) -> bool:
    """Whether findings are compared with those of another run: what is new is its author's, however uncertain."""
    named = options.baseline or options.write_baseline or options.baseline_due
    return bool(named or accepted_findings(root))


def check(
    checker: Checker, paths: list[str] | None = None, jobs: int = 1, progress: Progress | None = None
) -> Outcome:
    """Check all pages of a tree, or those at `paths`."""
    owners = checker.own_pages
    wanted = owners if paths is None else [path for path in paths if path in owners]
    ordered = sorted(wanted, key=lambda path: (owners[path][1], path))
    is_whole = paths is None and not checker.store.unwritten
    found = unchanged_tree.find_kept_findings(checker) if is_whole else None
    if found is None:
        found = [*check_pages(checker, ordered, jobs, progress)]
        if is_whole:
            unchanged_tree.keep_findings(checker, found)
    return checker.outcome(None if paths is None else ordered, found)


def check_pages(
    checker: Checker, paths: Sequence[str], jobs: int, progress: Progress | None = None
) -> Iterator[Finding]:
    """The findings of the pages at `paths`: from the cache, else by this process or, for many, by `jobs` of them."""
    waiting = {path for path in paths if not checker.is_kept(path)}
    if jobs == 1 or len(waiting) <= ALONE:
        waiting = set()
    groups: Iterable[tuple[int, list[Finding]]] = ((1, checker.page(path)) for path in paths if path not in waiting)
    if waiting:
        from hexapla.checks.engine.pool import check_waiting

        groups = chain(groups, check_waiting(checker, waiting, jobs))
    done = 0
    for more, found in groups:
        yield from found
        done += more
        if progress:
            progress(done, len(paths))


def tree_of(layout: Layout, terms: tuple[Term, ...]) -> Tree:
    """The tree of a layout, with the folders of its included files."""
    return Tree(layout, terms, SnippetFolders(layout.snippets) if layout.snippets else None)


def chosen_pages(paths: tuple[Path, ...], checker: Checker) -> list[str] | None:
    """The pages that paths name, None for all; files that are no pages are passed over. Raises ConfigError."""
    if not paths:
        return None
    root, owners = checker.layout.root, checker.index.owners
    found: set[str] = set()
    for given in paths:
        path = given if given.is_absolute() or given.exists() else root / given
        if not path.exists():
            raise ConfigError(f"{given}: no such file; name a page or a folder of {root}")
        for form in (path.absolute(), path.resolve()):  # the way to a page may be a link, in the tree or to it
            relative = Path(os.path.relpath(form, root)).as_posix()
            folder = "" if relative == "." else f"{relative}/"
            if path.is_dir():
                found |= {page for page in owners if page.startswith(folder)}
            elif relative in owners:
                found.add(relative)
    return sorted(found)
