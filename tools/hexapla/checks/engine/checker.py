"""Check the pages of a tree: ask every rule about every page, and say whose each finding is."""

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hexapla.cache import Cache, digest, program
from hexapla.checks.engine import suppressions
from hexapla.checks.engine.context import Document, Fix, RuleContext, Settings, Violation
from hexapla.checks.engine.page_store import Documents
from hexapla.checks.engine.site_index import ALIASES, Tree
from hexapla.checks.finding import Finding
from hexapla.checks.rules.coverage import coverage
from hexapla.checks.rules.navigation import navigation
from hexapla.checks.rules.registry import RULES, Rule
from hexapla.config.layout import Layout
from hexapla.git import History
from hexapla.pages.dialects import LateDialect

if TYPE_CHECKING:  # a tree that has not changed is checked without what reads pages
    from hexapla.pages import Link

INCLUDED = "<included>"  # in `asked`, before the path of an included file
Progress = Callable[[int, int], None]


class Outcome(NamedTuple):
    """What was found, in order of place, and how many pages of which languages were looked at."""

    findings: tuple[Finding, ...]
    pages: int
    languages: tuple[str, ...]


class Checker:
    """One run over one tree."""

    def __init__(
        self,
        layout: Layout,
        dialect: LateDialect,
        settings: Settings,
        cache: Cache,
        history: History | None = None,
        rules: Sequence[Rule] = RULES,
    ) -> None:
        self.layout, self.cache, self.rules = layout, cache, rules
        self.read_snippet = settings.snippet
        self.settings = settings._replace(snippet=self.snippet if settings.snippet else None)
        self.history = history
        self.version = program()
        self.documents = Documents(layout.root, dialect, cache, self.version, settings.snippet)
        self.tree = Tree(layout, self.documents.ids)
        shape = sorted(self.tree.owners)
        self.state = digest(self.version, dialect.key, settings_key(settings), *shape)
        self.severity = {rule.id: rule.severity for rule in rules}
        self.stamps: dict[str, str] = {}

    def run(self, paths: Iterable[str] | None = None, progress: Progress | None = None) -> Outcome:
        """Check all pages, or those at `paths` alone."""
        wanted = set(self.tree.owners) if paths is None else set(paths) & self.tree.owners.keys()
        ordered = sorted(wanted, key=lambda path: (self.tree.owners[path][1], path))
        self.stamps.clear()
        findings: list[Finding] = []
        for number, path in enumerate(ordered):
            findings += self.page(path)
            if progress:
                progress(number + 1, len(ordered))
        if paths is None:
            findings += coverage(self.layout, self.tree)
            findings += navigation(self.layout, self.tree)
        languages = sorted({self.tree.owners[path][0] for path in ordered})
        return Outcome(tuple(sorted(findings, key=place)), len(ordered), tuple(languages))

    def links(self, paths: Iterable[str] | None = None) -> "Iterator[tuple[str, str, Link]]":
        """Every link of the pages, with its page's path and language."""
        for path in sorted(self.tree.owners if paths is None else paths):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                for link in self.documents.page(path).links:
                    yield path, self.tree.owners[path][0], link

    def page(self, path: str) -> list[Finding]:
        """What is wrong with one page."""
        language, name = self.tree.owners[path]
        source = self.tree.pages[self.layout.source].get(name) if language != self.layout.source else None
        try:
            found = self.found(path, source)
            inherited = Counter((item.rule, item.key or item.message) for item in self.own(source))
        except UnicodeDecodeError as error:
            culprit = path if not self.readable(path) else source or path
            if culprit != path:
                return self.findings(path, language, None, self.own(path), Counter())
            from hexapla.checks.rules import includes

            return [includes.undecodable(path, language, (self.layout.root / path).read_bytes(), error)]
        except OSError as error:
            message = f"the page cannot be read: {error.strerror or error}"
            return [Finding(path, 1, 1, "encoding", message, "correct its permissions or its link", language)]
        findings = self.findings(path, language, source, found, inherited)
        return self.moved(path, source, findings) if source and self.history else findings

    def moved(self, path: str, source: str, findings: list[Finding]) -> list[Finding]:
        """The findings, with those marked that come of the source having changed since the translation did.

        They are the ones that today's translation would not have beside the source as it was then.
        """
        comparing = {rule.id for rule in self.rules if rule.compares}
        if self.history is None or not any(item.rule in comparing for item in findings):
            return findings
        key = digest("then", self.state, path, self.documents.digest(path), source, self.history.head or "")
        known = self.cache.get(key)
        if known is None:
            then = self.history.source_then(path, source)
            known = None if then is None else sorted({(item.rule, item.message) for item in self.beside(path, then)})
            self.cache.put(key, {"then": known})
        else:
            known = known["then"]
        if known is None:
            return findings
        standing = {tuple(item) for item in known}
        return [
            item._replace(origin="source-moved", fix=None)
            if item.rule in comparing and item.origin == "translation" and (item.rule, item.message) not in standing
            else item
            for item in findings
        ]

    def beside(self, path: str, text: str) -> Iterator[Violation]:
        """What the comparing rules find in a page beside another text of its source."""
        context = self.context(path, None)
        name = context.document.name
        place = self.tree.pages[self.layout.source][name]
        context = context._replace(source=Document(name, self.layout.source, place, self.documents.read(text)))
        for check in dict.fromkeys(rule.check for rule in self.rules if rule.compares):
            yield from check(context)

    def readable(self, path: str) -> bool:
        """Whether a page's bytes are UTF-8."""
        try:
            self.documents.text(path)
        except UnicodeDecodeError:
            return False
        return True

    def own(self, path: str | None) -> list[Violation]:
        """What the rules find that look at one page."""
        return self.found(path, None) if path else []

    def found(self, path: str, source: str | None) -> list[Violation]:
        """What all rules find, from the cache where nothing that they looked at has changed."""
        key = digest("case", self.state, path, self.documents.digest(path), self.documents.digest(source or ""))
        kept = self.cache.get(key)
        if kept and all(self.stamp(place) == stamp for place, stamp in kept["stands on"].items()):
            return [revive(item) for item in kept["found"]]
        self.tree.asked = set()
        found = list(self.ask(self.context(path, source)))
        shown = {INCLUDED + file for place in self.tree.asked if (ids := self.tree.known_ids.get(place))
                 for file in ids.included}
        stands_on = {place: self.stamp(place) for place in sorted(self.tree.asked | shown)}
        self.cache.put(key, {"stands on": stands_on, "found": found})
        return found

    def stamp(self, path: str) -> str:
        """What changes when a file does that a page stands on; a run looks at each file once."""
        if path not in self.stamps:
            self.stamps[path] = self.look(path)
        return self.stamps[path]

    def look(self, path: str) -> str:
        """A page's digest, an included file's too, whether another file is there that a link leads to."""
        if path in self.tree.owners:
            return self.documents.digest(path)
        if path.startswith(INCLUDED):
            try:
                return digest(self.snippet(path.removeprefix(INCLUDED)))
            except (OSError, ValueError):
                return ""
        if path == ALIASES:
            return digest(*sorted(self.tree.aliases))
        return "there" if os.path.lexists(f"{self.layout.root}/{path}") else ""

    def snippet(self, path: str) -> str:
        """An included file's text; what is found depends on it. Raises OSError and ValueError."""
        self.tree.asked.add(INCLUDED + path)
        return self.read_snippet(path) if self.read_snippet else ""

    def context(self, path: str, source: str | None) -> RuleContext:
        """One page beside its source."""
        language, name = self.tree.owners[path]
        original = self.documents.document(name, self.layout.source, source) if source else None
        return RuleContext(self.documents.document(name, language, path), original, self.tree, self.settings)

    def ask(self, context: RuleContext) -> Iterator[Violation]:
        """Every rule, each function once."""
        asked = set()
        for rule in self.rules:
            if rule.function in asked or (rule.compares and context.source is None):
                continue
            asked.add(rule.function)
            yield from rule.check(context)

    def findings(
        self, path: str, language: str, source: str | None, found: list[Violation], inherited: Counter[tuple[str, str]]
    ) -> list[Finding]:
        """What was found, without what the page itself excuses."""
        made = []
        for item in found:
            key = (item.rule, item.key or item.message)
            origin = "translation"
            if inherited[key] > 0:
                inherited[key] -= 1
                origin = "inherited"
            made.append(Finding(
                path, item.line, item.column, item.rule, item.message, item.hint, language,
                self.severity.get(item.rule, "error"), source, item.source_line, origin, item.fix,
            ))
        return suppressions.apply(self.documents.text(path), made) if made else made


def place(finding: Finding) -> tuple[str, int, int, str, str]:
    """What findings are put in order by."""
    return finding.path, finding.line, finding.column, finding.rule, finding.message


def settings_key(settings: Settings) -> str:
    """What changes when the glossary does or a seam is filled."""
    terms = [(term.term, term.keep, sorted(term.renderings.items()), sorted(term.forbidden.items()))
             for term in settings.terms]
    return repr((terms, settings.garbled is None, settings.traditional is None, settings.snippet is None))


def revive(item: list[Any]) -> Violation:
    """A Found out of the cache."""
    found = Violation(*item)
    return found._replace(fix=Fix(*found.fix)) if found.fix else found


