"""Check the pages of a tree: apply every rule to every page, and tell whose each finding is."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache as cache_calls
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.cache import Cache, digest, key_of
from hexapla.checks.context import Document, RuleContext, Settings, Violation, translated_part
from hexapla.checks.engine import suppressions
from hexapla.checks.engine.dependency_states import DependencyStates
from hexapla.checks.engine.fixes import FileFixes
from hexapla.checks.engine.page_store import PageStore
from hexapla.checks.engine.rule_runs import run_on_page, run_on_tree
from hexapla.checks.finding import Finding, ShownLines
from hexapla.checks.rules import includes
from hexapla.checks.rules.registry import TREE_RULES, USUAL_RULES, Rule, by_function
from hexapla.checks.rules.selection import EVERYTHING, RuleSet, configured
from hexapla.checks.site_index import FIGURE, SNIPPET, SiteIndex
from hexapla.config.discovery import SnippetFolders
from hexapla.config.layout import Layout, has_records, recorded_sections
from hexapla.git import Repository
from hexapla.glossary import Term
from hexapla.pages import Link
from hexapla.pages.dialects import make_dialect
from hexapla.pages.edits import HEADING_ID, LINK_TARGET, PageEdit

PROGRAM = Path(__file__).parents[2]
PASSING = {"page-unreadable", "rule-failed"}  # may be a matter of time or of the program, not of the page
Progress = Callable[[int, int], None]


class Tree(NamedTuple):
    """What a check is about: the pages of a layout, the terms of its glossary, the folders of included files."""

    layout: Layout
    terms: tuple[Term, ...] = ()
    snippets: SnippetFolders | None = None


class Outcome(NamedTuple):
    """The findings in order of place, how many pages were checked, their languages, fixes, and what was understood.

    `shown_lines` are those that each finding is about, where they were asked for.
    """

    findings: tuple[Finding, ...]
    pages: int
    languages: tuple[str, ...]
    fixes: tuple[FileFixes, ...] = ()
    understood: tuple[str, ...] = ()
    shown_lines: tuple[tuple[ShownLines, ...], ...] = ()


class Checker:
    """Applies rules to the pages of one tree; without a history no finding is told to come of a changed source.

    `rules` and those of other packages are applied to pages; of what they find, and of the tree's rules, an outcome has
    what is `selected`.

    What was found in a page is kept in the cache under a key made of the whole tree's settings, the page and its
    source: what each function of rules found, with the state of every other file that it looked at. So other rules add
    to what is kept.
    """

    def __init__(
        self, tree: Tree, cache: Cache, history: Repository | None = None, rules: Sequence[Rule] = USUAL_RULES,
        selected: RuleSet = EVERYTHING,
    ) -> None:
        self.selected = selected
        rules = (*rules, *selected.run([rule for rule in selected.others.rules if rule.scope != "tree"]))
        self.tree, self.layout, self.cache, self.rules, self.history = tree, tree.layout, cache, rules, history
        self.snippet_texts: dict[str, str] = {}
        self.dialect = make_dialect(tree.layout.anchors, tree.layout.extensions, tree.layout.mdx)
        self.store = PageStore(tree.layout, self.dialect, cache, self.snippet_text if tree.snippets else None)
        self.index = SiteIndex(tree.layout, self.store.ids, self.store.files)
        reads = tree.snippets is not None
        self.settings = Settings(tree.terms, self.snippet if reads else None, tree.layout.framework.pin,
                                 self.figure if reads else None, self.prints_picture if reads else None)
        self.key = key_of("violations", tree, sorted(self.index.owners), self.index.generated,
                          sorted(self.index.redirected))
        self.groups = {key_of("rules", [tuple(rule) for rule in group]): group for group in by_function(rules)}
        # Languages whose pages may be translated in part: their translation is recorded by section.
        self.completed = tree.layout.completed | {
            code for code in tree.layout.languages if has_records(tree.layout.root, code)}
        self.severity = {rule.id: rule.severity for rule in rules}
        self.states = DependencyStates(self.index, self.store, self.snippet_text)
        self.kept: dict[str, list[Violation]] = {}
        self.dependencies: set[str] = set()  # of what is in `kept`
        self.violation_key = cache_calls(self.current_violation_key)

    @property
    def own_pages(self) -> dict[str, tuple[str, str]]:
        """The pages that are checked, all but those of a source that another repository has: whose each path is."""
        return {path: owner for path, owner in self.index.owners.items() if not self.layout.is_elsewhere(path)}

    def outcome(self, paths: Iterable[str] | None, found: Iterable[Finding]) -> Outcome:
        """The outcome of a check of all pages (None) or of those at `paths`, given the findings of each page."""
        checked = self.own_pages.keys() if paths is None else set(paths)
        findings, others = [*found, *self.selected.others.unloaded], self.selected.others.rules
        if paths is None:
            wanted = self.selected.run((*TREE_RULES, *(rule for rule in others if rule.scope == "tree")))
            for rules in by_function(wanted):
                findings += (each for each in run_on_tree(rules, self.index) if not self.layout.is_elsewhere(each.path))
        languages = sorted({self.index.owners[path][0] for path in checked})
        self.states.keep()
        self.store.files.record_digests()
        findings = configured(findings, self.selected)
        findings.sort(key=lambda each: (each.path, each.line, each.column, each.rule, each.message))
        return Outcome(tuple(findings), len(checked), tuple(languages))

    def links(self, paths: Iterable[str] | None = None) -> Iterator[tuple[str, str, Link]]:
        """Every link of the pages, with its page's path and language."""
        for path in sorted(self.own_pages if paths is None else paths):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                for link in self.store.page(path).links:
                    yield path, self.index.owners[path][0], link

    def source_links(self, path: str) -> tuple[Link, ...]:
        """The links of the page that a page is translated from, none where it has none that can be read."""
        source = self.source_of(path)
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return self.store.page(source).links if source else ()
        return ()

    def source_of(self, path: str) -> str | None:
        """The path of the source's page that a translation has, None for a page of the source or without one."""
        language, name = self.index.owners[path]
        return self.index.pages[self.layout.source].get(name) if language != self.layout.source else None

    def page(self, path: str) -> list[Finding]:
        """The findings of one page."""
        language, source = self.index.owners[path][0], self.source_of(path)
        try:
            found = self.violations(path, source)
            inherited = Counter(item.defect for item in self.own_violations(source))
        except UnicodeDecodeError as error:
            culprit = path if not self.store.is_utf8(path) else source or path
            if culprit != path:
                return self.findings(path, language, None, self.own_violations(path), Counter())
            return [includes.undecodable_page(path, language, self.store.data(path), error)]
        except OSError as error:
            message = f"the page cannot be read: {error.strerror or error}"
            return [Finding(path=path, line=1, column=1, rule="encoding", message=message, language=language,
                            hint="correct its permissions or its link")]
        findings = self.findings(path, language, source, found, inherited)
        return self.with_origins(path, source, findings) if source and self.history else findings

    def with_origins(self, path: str, source: str, findings: list[Finding]) -> list[Finding]:
        """The findings, those marked "source-moved" that the page would not have beside its source as it was then."""
        comparing = {rule.id for rule in self.rules if rule.scope == "translation"}
        if self.history is None or not any(item.rule in comparing for item in findings):
            return findings
        digests = self.store.digest(path), self.store.digest(source)
        key = digest(self.key, "source then", path, source, *digests, self.history.head or "")
        kept, asked = self.cache.get(key) or {}, self.groups_of(source, comparing=True)
        if missing := asked.keys() - kept.keys():
            context, then = None, self.history.source_text_then(path, source)
            if then is not None:  # the page beside its source as it was
                document = self.document(path)
                original = Document(document.name, self.layout.source, source, self.store.read(then))
                context = RuleContext(document, original, self.index, self.settings)
            for each in missing:
                found = run_on_page(asked[each], context) if context else None
                kept[each] = None if found is None else sorted({(item.rule, item.message) for item in found})
            self.cache.put(key, kept)
        if any(kept[each] is None for each in asked):
            return findings
        standing = {tuple(item) for each in asked for item in kept[each]}
        return [
            item._replace(origin="source-moved", fix=item.fix if renames_id(item) else None)
            if item.rule in comparing and item.origin == "translation" and (item.rule, item.message) not in standing
            else item
            for item in findings
        ]

    def own_violations(self, path: str | None) -> list[Violation]:
        """The violations of the rules that look at one page alone."""
        return self.violations(path, None) if path else []

    def is_kept(self, path: str) -> bool:
        """Whether the cache has all that `page` needs."""
        source = self.source_of(path)
        return self.kept_violations(path, source) is not None and (
            source is None or self.kept_violations(source, None) is not None
        )

    def current_violation_key(self, path: str, source: str | None) -> str:
        """The key of a page's violations in the cache."""
        if not source:
            return digest(self.key, path, self.store.digest(path), "")
        language, name = self.index.owners[path]
        recorded = {"compared as a whole"}
        if language in self.completed:
            recorded = {*recorded_sections(self.layout.root, language, name)}
        return digest(self.key, path, self.store.digest(path), self.store.digest(source), *sorted(recorded))

    def groups_of(self, source: str | None, comparing: bool = False) -> dict[str, tuple[Rule, ...]]:
        """The rules to apply to a page, by function under what its answers are kept; those alone that compare it."""
        compares = {name: group[0].scope == "translation" for name, group in self.groups.items()}
        return {name: group for name, group in self.groups.items()
                if (compares[name] or not comparing) and (source is not None or not compares[name])}

    def kept_answers(self, path: str, source: str | None) -> dict[str, Any]:
        """What the cache has of functions in a page, all that it was made of being as it was."""
        kept = self.cache.get(self.violation_key(path, source)) or {}
        return {
            name: answer for name, answer in kept.items()
            if all(self.states.is_same(*each) for each in answer["dependencies"].items())
        }

    def kept_violations(self, path: str, source: str | None) -> list[Violation] | None:
        """A page's violations from the cache, None where anything that they were made of has changed."""
        key = self.violation_key(path, source)
        if key not in self.kept:
            kept, groups = self.kept_answers(path, source), self.groups_of(source)
            if not groups.keys() <= kept.keys():
                return None
            answers = [kept[name] for name in groups]
            self.dependencies.update(*(each["dependencies"] for each in answers))
            self.kept[key] = [with_edit(item) for each in answers for item in each["violations"]]
        return self.kept[key]

    def violations(self, path: str, source: str | None) -> list[Violation]:
        """The violations of all rules in a page, beside its source where it has one."""
        kept = self.kept_violations(path, source)
        if kept is not None:
            return kept
        answers = self.kept_answers(path, source)
        missing = {name: group for name, group in self.groups_of(source).items() if name not in answers}
        self.index.dependencies = set()
        context, found = self.context(path, source), list[Violation]()
        shared = self.index.dependencies
        for name, group in missing.items():
            self.index.dependencies = set(shared)
            made = run_on_page(group, context)
            found += made
            if not any(item.rule in PASSING for item in made):
                looked_at, ids = self.index.dependencies, self.index.known_ids
                shown = {SNIPPET + file for each in looked_at if each in ids for file in ids[each].included}
                states = {each: self.states.of(each) for each in sorted(looked_at | shown)}
                answers[name] = {"dependencies": states, "violations": made}
        self.cache.put(self.violation_key(path, source), answers)
        others = self.groups_of(source).keys() - missing.keys()
        return [*found, *(with_edit(item) for name in others for item in answers[name]["violations"])]

    def snippet(self, path: str) -> str:
        """An included file's text, which violations then depend on. Raises OSError and ValueError."""
        self.index.dependencies.add(SNIPPET + path)
        return self.snippet_text(path)

    def snippet_text(self, path: str) -> str:
        """An included file's text, read once. Raises OSError and ValueError."""
        if path not in self.snippet_texts:
            if self.tree.snippets is None:
                raise FileNotFoundError(path)
            self.snippet_texts[path] = self.tree.snippets.read(path)
        return self.snippet_texts[path]

    def figure(self, reference: str, language: str) -> str:
        """What a reference into the evidence shows, on which violations then depend. Raises FigureError."""
        self.index.dependencies.add(FIGURE + reference)
        return self.states.figures.text(reference, language)

    def prints_picture(self, program: str) -> bool:
        """Whether a program has printed a PNG, on which violations then depend."""
        self.index.dependencies.add(FIGURE + program)
        return self.states.figures.has_picture(program)

    def context(self, path: str, source: str | None) -> RuleContext:
        document, original = self.document(path), self.document(source) if source else None
        if original and document.language in self.completed:
            recorded = recorded_sections(self.layout.root, document.language, document.name)
            part = translated_part(original.page, document.page, recorded)
            original = original._replace(page=self.store.read(part)) if part else original
        return RuleContext(document, original, self.index, self.settings)

    def document(self, path: str) -> Document:
        """A page with its place in the tree. Raises OSError and UnicodeDecodeError."""
        language, name = self.index.owners[path]
        return Document(name, language, path, self.store.page(path))

    def apply(self, rules: Iterable[Rule], context: RuleContext) -> Iterator[Violation]:
        """The violations of some rules; those that compare are applied where there is a source."""
        for each in by_function(rules):
            if context.source is not None or each[0].scope != "translation":
                yield from run_on_page(each, context)

    def findings(
        self, path: str, language: str, source: str | None, found: list[Violation], inherited: Counter[tuple[str, str]]
    ) -> list[Finding]:
        """The findings of a page, without those that its own comments suppress."""
        made = self.make_findings(path, language, source, found, inherited)
        return suppressions.apply_suppressions(self.store.suppressions(path), made) if made else made

    def make_findings(
        self, path: str, language: str, source: str | None, found: list[Violation], inherited: Counter[tuple[str, str]]
    ) -> list[Finding]:
        """Violations as findings, each with its severity and whose it is."""
        made = []
        for item in found:
            origin = "translation"
            if inherited[item.defect] > 0:
                inherited[item.defect] -= 1
                origin = "inherited"
            made.append(Finding(
                path=path, line=item.line, column=item.column, rule=item.rule, message=item.shown, hint=item.hint,
                language=language, severity=self.severity.get(item.rule, "error"), source_path=source,
                source_line=item.source_line, origin=origin, fix=item.fix, subject=item.subject,
                traceback=item.traceback,
            ))
        return made


def with_edit(kept: Sequence[Any]) -> Violation:
    """A violation as the cache has it, its fix a record again."""
    found = Violation(*kept)
    return found._replace(fix=PageEdit(*found.fix)) if found.fix else found


def renames_id(finding: Finding) -> bool:
    """Whether a fix gives a heading or a link an id that the source has now: the words around it stay true."""
    if finding.fix is None or finding.fix.kind == HEADING_ID:
        return finding.fix is not None
    before, after = (target.partition("#")[0] for target in (finding.subject, finding.fix.text))
    return finding.fix.kind == LINK_TARGET and before == after
