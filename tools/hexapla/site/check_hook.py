"""What `hexapla check` finds in the tree that is being built."""

from collections.abc import Iterable
from pathlib import Path

from hexapla.cache import Cache
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.pool import cores
from hexapla.checks.engine.service import check, rule_set, tree_of
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import BY_ID, PAGE_RULES
from hexapla.config.discovery import layout_of_project
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import Project, find_terms


def findings(project: Project, config_file: Path, names: Iterable[str] | None = None) -> tuple[Finding, ...]:
    """What is found in the pages of all languages, or in those called `names`: paths below a language's folder.

    Pages that have not changed are answered from the cache. Raises ConfigError.
    """
    layout = layout_of_project(project, read_settings(config_file))
    cache = Cache(project.root)
    try:
        selected = rule_set(config_file)
        tree = tree_of(layout, find_terms(project.root))
        checker = Checker(tree, cache, None, selected.run(PAGE_RULES), selected)
        paths = None
        if names is not None:
            codes = [language.code for language in project.languages]
            paths = [layout.path(code, name.removesuffix(".md")) for name in names for code in codes]
        return check(checker, paths, cores()).findings
    finally:
        cache.close()


def errors(project: Project, config_file: Path) -> tuple[Finding, ...]:
    """The findings that stop a strict build. Raises ConfigError."""
    return tuple(finding for finding in findings(project, config_file) if finding.severity == "error")


def stopping(found: Iterable[Finding], config_file: Path) -> tuple[Finding, ...]:
    """The findings of a build's own files that stop it. Raises ConfigError.

    Rules of the site can be configured as all can; a page that cannot be read or whose include is broken stops a build
    whatever is configured: there is nothing to show.
    """
    rules = rule_set(config_file)
    return tuple(
        finding for finding in found
        if BY_ID[finding.rule].scope != "site" or rules.severity(finding.rule, finding.path) == "error"
    )
