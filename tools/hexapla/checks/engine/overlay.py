"""Check a page's text that is not on disk: one that is being typed, or that an import would write."""

from collections import Counter
from collections.abc import Collection, Iterable

from hexapla.cache import Cache
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.service import rule_set, tree_of
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import PAGE_RULES
from hexapla.checks.rules.selection import configured
from hexapla.config.layout import Layout
from hexapla.glossary import Term


def overlay_checker(layout: Layout, terms: Iterable[Term]) -> Checker:
    """A checker for texts that are not on disk; it keeps pages in memory alone."""
    selected = rule_set(layout.root / "mkdocs.yml")
    return Checker(tree_of(layout, tuple(terms)), Cache(None), None, selected.run(PAGE_RULES), selected)


def check_text(checker: Checker, path: str, language: str, name: str, text: str) -> list[Finding]:
    """The findings of `text` as the page `name` of a language, at `path`; the page need not exist."""
    checker.store.replace(path, text)
    checker.index.pages[language][name] = path
    checker.index.owners[path] = (language, name)
    checker.index.known_ids.pop(path, None)
    return configured(checker.page(path), checker.selected)


def new_errors(
    checker: Checker, path: str, language: str, name: str, text: str, also: Collection[str] = ()
) -> list[Finding]:
    """The errors that `text` has and the page on disk has not; the findings of the rules in `also` count as such."""
    file = checker.layout.root / path
    before: Counter[tuple[str, str]] = Counter()
    if file.is_file():
        old = file.read_bytes().decode("utf-8-sig", "replace")
        before.update((item.rule, item.message) for item in check_text(checker, path, language, name, old))
    made = []
    for item in check_text(checker, path, language, name, text):
        if (item.severity != "error" and item.rule not in also) or item.origin != "translation":
            continue
        if before[item.rule, item.message] > 0:
            before[item.rule, item.message] -= 1
        else:
            made.append(item)
    return made


def refresh(checker: Checker) -> None:
    """Read the disk again: drop the texts that were not on it, included files, and each page that has changed."""
    store, index, known = checker.store, checker.index, dict(checker.store.digests)
    replaced = set(store.overlay)
    store.overlay.clear()
    store.digests.clear()
    index.__dict__.pop("aliases", None)
    checker.states.clear()
    checker.snippet_texts.clear()
    for path, digest in known.items():
        if path in replaced or store.digest(path) != digest:
            store.pages.pop(path, None)
            index.known_ids.pop(path, None)
