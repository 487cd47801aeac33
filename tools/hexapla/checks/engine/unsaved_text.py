"""Check a text that is not on disk: one section of a translation beside the same section of its source.

What the rest of the page lacks is not a fault of the section: a page in the making is judged by what is there.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from hexapla.cache import Cache
from hexapla.checks.context import Document, RuleContext
from hexapla.checks.engine import suppressions
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.page_store import PageStore, ids_of
from hexapla.checks.engine.tree_check import rule_set, tree_of
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import JUDGED_ALONE, PAGE_RULES
from hexapla.checks.rules.selection import configured
from hexapla.checks.rules.sentences.edited import edit_violations
from hexapla.checks.site_index import Ids, SiteIndex
from hexapla.config.layout import Layout
from hexapla.glossary import Term
from hexapla.pages import Page

# Where `[words][name]` leads: said once on a page, often at its end.
DEFINITION = re.compile(r"^ {0,3}\[[^\]^\n][^\]\n]*\]:[ \t]*\S.*$", re.M)

WRITTEN_ID = re.compile(r"""\{[^{}\n]*?#([^\s{}]+)|\b(?:id|name)=["']([^"'\n]+)["']""")


class SectionText(NamedTuple):
    """A section of a page of the translation, and of its source: the Markdown of each, and of the whole pages.

    `name` is the page's in every language; `page` is "" for one that is not there yet, `source` None for a section
    that the source does not have. `old` is what the page has now of a section whose source is as it was then.
    """

    language: str
    name: str
    text: str
    source: str | None
    page: str
    source_page: str
    old: str = ""


def overlay_checker(layout: Layout, terms: Iterable[Term], cache: Cache | None = None) -> Checker:
    """A checker for texts that are not on disk, with the judge's own rules; without a cache it keeps pages in memory.
    """
    selected = rule_set(layout.root / "mkdocs.yml")
    tree = selected.tree
    selected = selected._replace(tree=tree._replace(extend=tree.extend | JUDGED_ALONE))
    return Checker(tree_of(layout, tuple(terms)), cache or Cache(None), None, selected.run(PAGE_RULES), selected)


def check_section(checker: Checker, section: SectionText) -> list[Finding]:
    """The findings in a section, lines counted from its first; those that the source's has too are left out."""
    layout = checker.layout
    path, original = (layout.path(code, section.name) for code in (section.language, layout.source))
    definitions = definitions_of(section.source_page)
    page = checker.store.read(section.text + (definitions_of(section.page) or definitions))
    source = None if section.source is None else Document(
        section.name, layout.source, original, checker.store.read(section.source + definitions)
    )
    with known_ids(checker, section, path, page, source):
        context = RuleContext(
            Document(section.name, section.language, path, page), source, checker.index, checker.settings,
            (whole_page(checker.store, section.page), whole_page(checker.store, section.source_page))
            if section.page else None,
        )
        found = list(checker.apply(checker.rules, context))
        if section.old and source:
            found += edit_violations(context, checker.store.read(section.old + definitions))
        if section.page and any(item.rule == "mojibake" for item in found):  # a few words say little about an encoding
            whole = context.document._replace(page=checker.store.read(f"{section.text}\n\n{section.page}"))
            rules = [rule for rule in checker.rules if rule.id == "mojibake"]
            again = set(checker.apply(rules, context._replace(document=whole)))
            found = [item for item in found if item.rule != "mojibake" or item in again]
        own = source and checker.apply(checker.rules, RuleContext(source, None, checker.index, checker.settings))
        inherited = Counter(item.defect for item in own or ())
    made = checker.make_findings(path, section.language, original, found, inherited)
    closes = layout.closes_fence(path)
    made = suppressions.apply_suppressions(
        list(suppressions.suppressions(section.text, closes)), made, suppressions.of_page(section.page, closes))
    last = section.text.count("\n") + 1
    return [item for item in configured(made, checker.selected) if item.origin == "translation" and item.line <= last]


@lru_cache(maxsize=8)
def whole_page(store: PageStore, text: str) -> Page:
    """A page that sections of are checked: many one after the other, and each key that is typed."""
    return store.read(text)


def definitions_of(page: str) -> str:
    """The targets of a page's reference links, to stand below a section of it."""
    found = DEFINITION.findall(page) if "]:" in page else []
    return "\n\n" + "\n".join(found) + "\n" if found else ""


@contextmanager
def known_ids(checker: Checker, section: SectionText, path: str, page: Page, source: Document | None) -> Iterator[None]:
    """While a section is checked, its page is there, and has the ids of its source too: they are to come.

    Ids that somebody wrote are found in the text: to find the others takes the rendering of the whole page.
    """
    index = checker.index
    index.pages[section.language][section.name] = path
    index.owners[path] = (section.language, section.name)
    of_source = written_ids(section.source_page)
    anchors = anchors_on(index, Document(section.name, section.language, path, page))
    names = of_source | written_ids(section.page)
    own = ids_of(page, index.layout.anchors) if anchors else None
    rendered = index.source_ids(section.name) if own and not anchors <= own.names | names else None
    before = {each: index.known_ids.get(each) for each in (path, source.path if source else path)}
    if own:
        names |= own.names.union(rendered.names if rendered else ())
        maybe_more = own.open or rendered is None or rendered.open
        index.known_ids[path] = replace(rendered or own, names=names, open=maybe_more)
    if source and anchors_on(index, source) <= of_source:
        index.known_ids.setdefault(source.path, Ids((), of_source, True))
    try:
        yield
    finally:
        for each, known in before.items():
            index.known_ids.pop(each, None)
            if known:
                index.known_ids[each] = known


@lru_cache(maxsize=8)
def written_ids(page: str) -> frozenset[str]:
    """The ids that stand in a page's text."""
    return frozenset(one or other for one, other in WRITTEN_ID.findall(page))


def anchors_on(index: SiteIndex, document: Document) -> set[str]:
    """The ids of a page that its own text links to."""
    links = (link.target for link in document.page.links if "#" in link.target)
    leads = (index.resolve(document.path, document.language, target) for target in links)
    return {each.anchor for each in leads if each and each.path == document.path}


def refresh_checker(checker: Checker) -> None:
    """Read the disk again: drop included files, and each page that has changed."""
    store, index, known = checker.store, checker.index, dict(checker.store.digests)
    store.digests.clear()
    index.__dict__.pop("aliases", None)
    checker.states.clear()
    checker.kept.clear()
    checker.violation_key.cache_clear()
    checker.snippet_texts.clear()
    changed = [path for path, digest in known.items() if store.digest(path) != digest]
    for path in changed:
        store.pages.pop(path, None)
    if changed:  # a translation has ids of its source too
        index.known_ids.clear()
