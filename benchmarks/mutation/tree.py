"""Defects of a tree: pages that are not there, pages without a source, pages that the navigation does not name."""

import random
from collections.abc import Iterator
from copy import copy
from typing import Any

from hexapla.checks.engine.checker import Checker
from hexapla.checks.finding import Finding
from hexapla.checks.rules import coverage, navigation
from hexapla.config.layout import Layout
from hexapla.yaml_text import texts_in

RULES = ("page-missing", "page-orphan", "nav-missing")


def alarms(checker: Checker) -> Iterator[Finding]:
    """What the rules say about the tree as it is."""
    yield from coverage.coverage(checker.index)
    yield from navigation.navigation(checker.index)


def seeds(rule: str, checker: Checker, wanted: int, rng: random.Random) -> Iterator[tuple[str, int]]:
    """For each defect its language and whether it was found; fewer than wanted where the tree has no navigation."""
    pages, layout = checker.index.pages, checker.layout
    known = {(finding.rule, finding.path, finding.message) for finding in alarms(checker)}
    for _ in range(wanted):
        language = rng.choice([code for code in layout.languages if pages[code]] or [layout.source])
        made = defect(rule, layout, pages, language, rng)
        if made is None:
            return
        changed, there, path = made
        tree = copy(checker.index)
        tree.layout, tree.pages = changed, there
        check = navigation.navigation if rule == "nav-missing" else coverage.coverage
        wanted_rules = {rule, "page-lost"} if rule == "page-missing" else {rule}  # which one, the records say
        new = [finding for finding in check(tree) if finding.rule in wanted_rules
               and (finding.rule, finding.path, finding.message) not in known]
        yield language, int(any(path in {finding.path, ""} or path in finding.message for finding in new))


def defect(
    rule: str, layout: Layout, pages: dict[str, dict[str, str]], language: str, rng: random.Random
) -> tuple[Layout, dict[str, dict[str, str]], str] | None:
    """The tree with one defect, and the path that a finding is to name; None where the rule has no place here."""
    there = {code: dict(names) for code, names in pages.items()}
    translated = sorted(there[layout.source].keys() & there[language].keys())
    if rule == "nav-missing":
        return unlisted(layout, there, rng)
    if not translated:
        return None
    name = rng.choice(translated)
    if rule == "page-missing":
        return layout, there, there[language].pop(name)
    there[language][f"{name}-{rng.randrange(10**6)}"] = path = there[language].pop(name) + ".old"
    return layout, there, path


def unlisted(
    layout: Layout, there: dict[str, dict[str, str]], rng: random.Random
) -> tuple[Layout, dict[str, dict[str, str]], str] | None:
    """A page that no entry names, or an entry of a mkdocs.yml that names no page."""
    if not isinstance(layout.navigation, list) and not (
        layout.root / layout.folder(layout.source) / navigation.TOCTREE
    ).is_file():
        return None
    new = f"page-{rng.randrange(10**6)}"
    if isinstance(layout.navigation, list) and rng.random() < 0.5:
        return layout._replace(navigation=renamed(layout.navigation, new, rng)), there, f"{new}.md"
    path = layout.path(layout.source, new)
    there[layout.source][new] = path
    return layout, there, path


def renamed(entries: list[Any], new: str, rng: random.Random) -> list[Any]:
    """The navigation with one entry naming another page."""
    names = [entry for entry in texts_in(entries) if entry.endswith(".md")]
    return list(put(entries, rng.choice(names), f"{new}.md")) if names else entries


def put(entries: Any, old: str, new: str) -> Any:
    """A nested list or mapping with one string replaced."""
    if isinstance(entries, list):
        return [put(entry, old, new) for entry in entries]
    if isinstance(entries, dict):
        return {key: put(value, old, new) for key, value in entries.items()}
    return new if entries == old else entries
