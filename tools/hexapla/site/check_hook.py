"""What `hexapla check` finds in the tree that is being built."""

from collections.abc import Iterable
from pathlib import Path

from hexapla import config
from hexapla.cache import Cache
from hexapla.checks.engine.service import checker
from hexapla.checks.finding import Finding
from hexapla.cli import providers
from hexapla.config.layout import of_project
from hexapla.config.project import Project


def findings(project: Project, config_file: Path, names: Iterable[str] | None = None) -> tuple[Finding, ...]:
    """What is found in the pages of all languages, or in those called `names`: paths below a language's folder.

    Pages that have not changed are answered from the cache. Raises ConfigError.
    """
    place = of_project(project, config.settings(config_file))
    cache = Cache(project.root)
    try:
        asked = checker(place, providers.own_terms(project.root), providers.garbled, providers.traditional, cache)
        paths = None
        if names is not None:
            codes = [language.code for language in project.languages]
            paths = [place.path(code, name.removesuffix(".md")) for name in names for code in codes]
        return asked.run(paths).findings
    finally:
        cache.close()


def errors(project: Project, config_file: Path) -> tuple[Finding, ...]:
    """The findings that stop a strict build. Raises ConfigError."""
    return tuple(finding for finding in findings(project, config_file) if finding.severity == "error")
