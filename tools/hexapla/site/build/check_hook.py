"""Runs `hexapla check` inside a build: errors stop a strict one, `mkdocs serve` logs the findings in saved pages."""

import logging
from collections.abc import Iterable, Sequence
from contextlib import closing

from hexapla.cache import Cache
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.tree_check import check, tree_of
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import BY_ID, PAGE_RULES
from hexapla.checks.rules.selection import RuleSet, of_settings
from hexapla.config.checks_config import find_checks
from hexapla.config.discovery import layout_of_project
from hexapla.errors import ConfigError
from hexapla.processes import count_cores, end_with_parent
from hexapla.site.state import BuildState
from hexapla.site.written_pages import PageKey

LOG = logging.getLogger("mkdocs.plugins.hexapla")


def check_pages(state: BuildState, names: Iterable[str] | None = None) -> tuple[Finding, ...]:
    """The findings in the pages of all languages, or in those called `names`: paths below a language's folder.

    Pages that have not changed are answered from the cache. Raises ConfigError.
    """
    project = state.sources.project
    layout, selected = layout_of_project(project, state.settings), select_rules(state)
    with closing(Cache(project.root)) as cache:
        checker = Checker(tree_of(layout, state.sources.terms), cache, None, selected.run(PAGE_RULES), selected)
        paths = None
        if names is not None:
            codes = [language.code for language in project.languages]
            paths = [layout.path(code, name.removesuffix(".md")) for name in names for code in codes]
        return check(checker, paths, count_cores()).findings


def select_rules(state: BuildState) -> RuleSet:
    """The rules that the configuration of a project selects. Raises ConfigError."""
    found = find_checks(state.config_file, state.settings)
    return of_settings(found.settings, found.place)


def build_errors(findings: Sequence[Finding], state: BuildState) -> tuple[Finding, ...]:
    """Those findings of reading the sources that stop any build. Raises ConfigError.

    Rules of the site can be configured as all can; a page that cannot be read or whose include is broken stops a build
    whatever is configured: there is nothing to show.
    """
    rules = select_rules(state) if findings else None
    return tuple(
        finding for finding in findings
        if BY_ID[finding.rule].scope == "page" or (rules and rules.severity(finding.rule, finding.path)) == "error"
    )


def shared_errors(state: BuildState) -> list[str]:
    """What stops a build in files that belong to no page."""
    return [str(each) for each in build_errors(state.sources.shared_findings, state)]


def log_findings(state: BuildState, names: Iterable[str]) -> None:
    """Log the findings in pages and in their translations."""
    end_with_parent()
    try:
        findings = check_pages(state, names)
    except ConfigError as error:
        LOG.error(str(error))
        return
    for finding in findings:
        LOG.info("%s (%s)", finding, finding.severity)
    LOG.info("checked %s in every language: %s findings", ", ".join(names), len(findings) or "no")


class SavedPages:
    """The pages of one `mkdocs serve`: after each build, those that were saved since the one before are checked."""

    def __init__(self) -> None:
        self.texts: dict[PageKey, str] = {}

    def report(self, state: BuildState) -> None:
        """Log the findings in the saved pages and in their translations."""
        texts = {key: page.text for key, page in state.sources.pages.items()}
        names = sorted({name for (code, name), text in texts.items() if self.texts.get((code, name)) != text})
        if self.texts and names:
            log_findings(state, names)
        self.texts = texts
