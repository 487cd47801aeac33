"""`hexapla check` inside a build: what stops a strict one, and what `mkdocs serve` says of a saved page."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from hexapla.cache import Cache
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.pool import cores
from hexapla.checks.engine.tree_check import check, rule_set, tree_of
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import BY_ID, PAGE_RULES
from hexapla.config.discovery import layout_of_project
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.errors import ConfigError
from hexapla.processes import end_with_parent
from hexapla.site.process_pool import PlacedError
from hexapla.site.sources import SiteSources

LOG = logging.getLogger("mkdocs.plugins.hexapla")


def check_pages(sources: SiteSources, config_file: Path, names: Iterable[str] | None = None) -> tuple[Finding, ...]:
    """The findings in the pages of all languages, or in those called `names`: paths below a language's folder.

    Pages that have not changed are answered from the cache. Raises ConfigError.
    """
    project = sources.project
    layout = layout_of_project(project, read_settings(config_file))
    cache = Cache(project.root)
    try:
        selected = rule_set(config_file)
        checker = Checker(tree_of(layout, sources.terms), cache, None, selected.run(PAGE_RULES), selected)
        paths = None
        if names is not None:
            codes = [language.code for language in project.languages]
            paths = [layout.path(code, name.removesuffix(".md")) for name in names for code in codes]
        return check(checker, paths, cores()).findings
    finally:
        cache.close()


def check_errors(sources: SiteSources, config_file: Path) -> tuple[Finding, ...]:
    """The findings that stop a strict build. Raises ConfigError."""
    return tuple(finding for finding in check_pages(sources, config_file) if finding.severity == "error")


def build_errors(findings: Sequence[Finding], config_file: Path) -> tuple[Finding, ...]:
    """Those findings of reading the sources that stop any build. Raises ConfigError.

    Rules of the site can be configured as all can; a page that cannot be read or whose include is broken stops a build
    whatever is configured: there is nothing to show.
    """
    rules = rule_set(config_file) if findings else None
    return tuple(
        finding for finding in findings
        if BY_ID[finding.rule].scope != "site" or (rules and rules.severity(finding.rule, finding.path)) == "error"
    )


def stop_on(findings: Sequence[Finding], config_file: Path) -> None:
    """Raise PlacedError for those findings of reading a page that stop any build."""
    if errors := build_errors(findings, config_file):
        raise PlacedError("\n".join(map(str, errors)))


def report(sources: SiteSources, config_file: Path, names: Iterable[str]) -> None:
    """Log the findings in pages and in their translations."""
    end_with_parent()
    try:
        findings = check_pages(sources, config_file, names)
    except ConfigError as error:
        LOG.error(str(error))
        return
    for finding in findings:
        LOG.info("%s (%s)", finding, finding.severity)
    LOG.info("checked %s in every language: %s findings", ", ".join(names), len(findings) or "no")


class SavedPages:
    """The pages of one `mkdocs serve`: after each build, those that were saved since the one before are checked."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}

    def report(self, sources: SiteSources, config_file: Path) -> None:
        """Log the findings in the saved pages and in their translations."""
        texts = {key: page.text for key, page in sources.pages.items()}
        names = sorted({name for (code, name), text in texts.items() if self.texts.get((code, name)) != text})
        if self.texts and names:
            report(sources, config_file, names)
        self.texts = texts
