"""What `hexapla check` finds in the tree that is being built."""

from collections.abc import Iterable
from pathlib import Path

from hexapla.cache import Cache
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.pool import cores
from hexapla.checks.engine.service import check, tree_of
from hexapla.checks.finding import Finding
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
        checker = Checker(tree_of(layout, find_terms(project.root)), cache)
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
