"""Check a text that is not on disk: one section of a translation beside the same section of its source.

What the rest of the page lacks is not a fault of the section: a page in the making is judged by what is there.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from hexapla.cache import Cache
from hexapla.checks.engine import suppressions
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.context import Document, RuleContext
from hexapla.checks.engine.page_store import ids_of
from hexapla.checks.engine.service import rule_set, tree_of
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import PAGE_RULES
from hexapla.checks.rules.selection import configured
from hexapla.config.layout import Layout
from hexapla.glossary import Term
from hexapla.pages import Page

# Where `[words][name]` leads: said once on a page, often at its end.
DEFINITION = re.compile(r"^ {0,3}\[[^\]^\n][^\]\n]*\]:[ \t]*\S.*$", re.M)

WRITTEN_ID = re.compile(r"""\{[^{}\n]*?#([^\s{}]+)|\b(?:id|name)=["']([^"'\n]+)["']""")


class SectionText(NamedTuple):
    """A section of a page of the translation, and of its source: the Markdown of each, and of the whole pages.

    `name` is the page's in every language; `page` is "" for one that is not there yet, `source` None for a section
    that the source does not have.
    """

    language: str
    name: str
    text: str
    source: str | None
    page: str
    source_page: str


def overlay_checker(layout: Layout, terms: Iterable[Term]) -> Checker:
    """A checker for texts that are not on disk; it keeps pages in memory alone."""
    selected = rule_set(layout.root / "mkdocs.yml")
    return Checker(tree_of(layout, tuple(terms)), Cache(None), None, selected.run(PAGE_RULES), selected)


def check_section(checker: Checker, section: SectionText) -> list[Finding]:
    """The findings in a section, lines counted from its first; those that the source's has too are left out."""
    layout = checker.layout
    path, original = (layout.path(code, section.name) for code in (section.language, layout.source))
    definitions = definitions_of(section.source_page)
    page = checker.store.read(section.text + (definitions_of(section.page) or definitions))
    source = None if section.source is None else Document(
        section.name, layout.source, original, checker.store.read(section.source + definitions)
    )
    with known_ids(checker, section, path, page):
        context = RuleContext(
            Document(section.name, section.language, path, page), source, checker.index, checker.settings
        )
        found = list(checker.apply(checker.rules, context))
        if section.page and any(item.rule == "mojibake" for item in found):  # a few words say little about an encoding
            whole = context.document._replace(page=checker.store.read(f"{section.text}\n\n{section.page}"))
            rules = [rule for rule in checker.rules if rule.id == "mojibake"]
            again = set(checker.apply(rules, context._replace(document=whole)))
            found = [item for item in found if item.rule != "mojibake" or item in again]
        own = source and checker.apply(checker.rules, RuleContext(source, None, checker.index, checker.settings))
        inherited = Counter(item.defect for item in own or ())
    made = checker.told(path, section.language, original, found, inherited)
    made = suppressions.apply(section.text, made, suppressions.of_page(section.page))
    last = section.text.count("\n") + 1
    return [item for item in configured(made, checker.selected) if item.origin == "translation" and item.line <= last]


def definitions_of(page: str) -> str:
    """The targets of a page's reference links, to stand below a section of it."""
    found = DEFINITION.findall(page) if "]:" in page else []
    return "\n\n" + "\n".join(found) + "\n" if found else ""


@contextmanager
def known_ids(checker: Checker, section: SectionText, path: str, page: Page) -> Iterator[None]:
    """While a section is checked, its page is there, and has the ids of its source too: they are to come."""
    index = checker.index
    index.pages[section.language][section.name] = path
    index.owners[path] = (section.language, section.name)
    before = index.known_ids.get(path)
    if any("#" in link.target for link in page.links):  # else no rule asks for them: to find them takes the whole page
        own, of_source = ids_of(page), index.source_ids(section.name)
        written = {one or other for one, other in WRITTEN_ID.findall(section.page)}
        names = own.names.union(written, of_source.names if of_source else ())
        index.known_ids[path] = replace(
            of_source or own, names=names, open=own.open or of_source is None or of_source.open
        )
    try:
        yield
    finally:
        index.known_ids.pop(path, None)
        if before:
            index.known_ids[path] = before


def refresh(checker: Checker) -> None:
    """Read the disk again: drop included files, and each page that has changed."""
    store, index, known = checker.store, checker.index, dict(checker.store.digests)
    store.digests.clear()
    index.__dict__.pop("aliases", None)
    checker.states.clear()
    checker.kept.clear()
    checker.snippet_texts.clear()
    changed = [path for path, digest in known.items() if store.digest(path) != digest]
    for path in changed:
        store.pages.pop(path, None)
    if changed:  # a translation has ids of its source too
        index.known_ids.clear()
