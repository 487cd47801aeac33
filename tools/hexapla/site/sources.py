"""Reads the sources of a site once: pages, snippets, runs, comments and glossary, with the findings in them."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from html import escape
from operator import attrgetter
from pathlib import Path

from hexapla import glossary
from hexapla.checks.context import Violation
from hexapla.checks.finding import Finding
from hexapla.checks.nearest import nearest_name
from hexapla.checks.rules.evidence import evidence_violations
from hexapla.checks.rules.glossary_rows import explanation_findings
from hexapla.checks.rules.id_redirects import bad_redirects
from hexapla.checks.rules.includes import page_violations, undecodable_page
from hexapla.checks.rules.recorded_runs import invalid_runs
from hexapla.config.project import Project
from hexapla.examples import comments, tasks
from hexapla.examples.evidence import Evidence, Run
from hexapla.examples.evidence_store import current_evidence, read_files
from hexapla.examples.figures import figure_runs, figure_text, prints_picture
from hexapla.examples.outdated_runs import CurrentTree
from hexapla.examples.runners import read_runners
from hexapla.examples.snippet import Snippets, open_snippets
from hexapla.files import own_files, pages_under, read_text
from hexapla.pages import Page
from hexapla.site.derived_pages import DerivedPages, convert_markdown, read_derived
from hexapla.site.last_change import PageChange, read_changes
from hexapla.site.search.search_terms import FILE as SEARCH_TERMS
from hexapla.site.search.search_terms import SearchTerms, read_terms
from hexapla.site.texts.strings import say_sentence
from hexapla.site.written_pages import PageKey, WrittenPages


@dataclass(frozen=True)
class SiteSources:
    """The texts of a project that its site is made of.

    `comments` includes the languages that are derived. `kinds` maps a snippet to the kinds of hardware that it runs on.
    `shared_findings` are those in files of no page.
    """

    project: Project
    pages: WrittenPages
    snippets: Snippets
    comments: comments.CommentTable
    evidence: tuple[Evidence, ...]
    derived: DerivedPages
    terms: tuple[glossary.Term, ...]
    search: SearchTerms
    shared_findings: tuple[Finding, ...]
    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _code: dict[tuple[str, str], str] = field(default_factory=dict)

    def code(self, path: str, language: str) -> str:
        """The text of a snippet in `language`: a file of its own, or Python's comments where the table has them."""
        if not path.endswith(".py") or not self.comments.translations:
            return self.snippets.read_in(path, language)
        if (path, language) not in self._code:
            self._code[path, language] = comments.translate_comments(self.snippets.read(path), self.comments, language)
        return self._code[path, language]

    def figure(self, reference: str, language: str) -> str:
        """What a reference into the evidence shows in a language. Raises FigureError.

        What all machines have recorded of an older state of the tree says so, by the day of the run.
        """
        text = figure_text(reference, self.evidence, language)
        runs: dict[str, list[Run]] = {}
        for path, run in figure_runs(reference, self.evidence):
            runs.setdefault(path, []).append(run)
        outdated = [found for path, found in runs.items() if all(self.current.change_since(path, run) for run in found)]
        if not outdated:
            return text
        said = say_sentence(language, "where-changed", date=max(run.date for run in outdated[0]))
        return f'<abbr class="hx-changed" title="{escape(said)}">{text}</abbr>'

    def prints_picture(self, program: str) -> bool:
        """Whether a program, as a page includes it, has printed a PNG."""
        return prints_picture(program, self.snippets, self.evidence)

    @cached_property
    def current(self) -> CurrentTree:
        """The tree that recorded runs are held to."""
        return CurrentTree(self.project.root, self.snippets)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """All findings in the sources, by position; every page is read for it."""
        found = {*self.shared_findings, *(each for key in self.pages for each in self.page_findings(key))}
        return tuple(sorted(found, key=attrgetter("path", "line", "column")))

    def page_findings(self, key: PageKey) -> Iterator[Finding]:
        """What is wrong with a page: it cannot be read, or what it includes is not there or no Python."""
        language, _ = key
        path = relative_path(self.project, self.pages.files[key])
        try:
            page = self.pages[key]
        except UnicodeDecodeError as error:
            yield undecodable_page(path, language, error.object, error)
        except OSError as error:
            yield Finding(path=path, line=1, column=1, rule="encoding", message=f"cannot be read ({error.strerror})",
                          hint="check it", language=language)
        else:
            found = self.text_violations(page, key[1], language)
            if language == self.project.source.code:
                own = {heading.id for heading in page.headings if heading.id}
                found += bad_redirects(page, key[1], own, partial(self.pages.ids, language))
            yield from (each.as_error(path, language) for each in found)
            yield from hardware_findings(page, path, language, self.project.hardware)
            names = sorted({include.path for include in page.includes if include.path.endswith(".py")})
            yield from syntax_findings(self.project, self.snippets, names)

    def text_violations(self, page: Page, name: str, language: str) -> list[Violation]:
        """What a page includes and is not there, and figures that were not recorded; `name` is below the language's."""
        return [*page_violations(page, partial(self.snippets.read_in, language=language)),
                *evidence_violations(page, name, language, self.figure, self.prints_picture)]

    @cached_property
    def changes(self) -> Mapping[str, PageChange]:
        """The last change of each file in docs, by its path there."""
        return read_changes(self.project.root, self.project.docs)

    def written_path(self, path: str) -> str:
        """The path in docs of the file that a page is made of: for a derived page that of its original."""
        return "/".join(self.derived[path]) if path in self.derived else path

    @cached_property
    def page_paths(self) -> frozenset[str]:
        """The paths in docs of all pages that have a file."""
        return frozenset(f"{language}/{page}" for language, page in self.pages)

    @cached_property
    def techniques(self) -> frozenset[str]:
        """The paths of the snippets that run by themselves."""
        return frozenset(self.snippets.names())

    @cached_property
    def programs(self) -> frozenset[str]:
        """The paths of the snippets that run by themselves, and of the programs that stand in pages."""
        return frozenset(self.snippets.programs())

    def available(self, page: str) -> list[str]:
        """The languages that have this page, written or derived, in the project's order."""
        return [
            language.code for language in self.project.languages
            if (language.code, page) in self.pages or f"{language.code}/{page}" in self.derived
        ]


def read_sources(project: Project) -> SiteSources:
    """The sources of a project's site. A mistake in a file becomes a finding and raises nothing."""
    findings: list[Finding] = []
    snippets = open_snippets(project)
    pages = WrittenPages(dict(page_files(project)), snippets.name)
    table = read_comments(project, snippets, findings)
    files = [*read_files(project.evidence)]
    findings += invalid_runs(project.root, files)
    evidence = tuple(current_evidence(snippets, (file.evidence for file in files if file.evidence)))
    terms = read_glossary(project, pages, findings)
    search = read_terms(project.docs / SEARCH_TERMS)
    derived = read_derived(project, pages, terms, findings)
    for language in project.languages:
        if language.derived_from:
            convert = partial(convert_markdown, derived.converters[language.code])
            table = comments.derive_comments(table, language.derived_from, language.code, convert)
    kinds = dict(hardware_kinds(project, snippets))
    terms = glossary.agreed_terms(terms)
    return SiteSources(
        project, pages, snippets, table, evidence, derived, terms, search, tuple(findings), kinds
    )


def page_files(project: Project) -> Iterator[tuple[PageKey, Path]]:
    """The files of pages in every language."""
    for language in project.languages:
        folder = project.docs / language.code
        for file in own_files(project.root, pages_under(folder)):  # the plugin says what it leaves out
            yield (language.code, file.relative_to(folder).as_posix()), file


def relative_path(project: Project, file: Path) -> str:
    """A file's path as findings name it."""
    return file.relative_to(project.root).as_posix()


def hardware_findings(page: Page, path: str, language: str, kinds: Iterable[str]) -> Iterator[Finding]:
    """The hardware that a page is about, where the project has none of that name: the page's note would never come."""
    kind, known = page.meta.get("hardware"), [*kinds]
    if kind is None or kind in known:
        return
    line = next((at for at, text in enumerate(page.lines, 1) if text.startswith("hardware")), 1)
    similar = nearest_name(str(kind).lower(), known)
    hint = f"write {similar!r}" if similar else f"write one of {', '.join(known)}, or add it to hardware in mkdocs.yml"
    message = f"hardware: {kind!r} is no hardware of this project"
    yield Finding(path=path, line=line, column=1, rule="front-matter", message=message, hint=hint, language=language)


def read_comments(project: Project, snippets: Snippets, findings: list[Finding]) -> comments.CommentTable:
    """The table of translated comments; a comment that no snippet has any more is a finding."""
    if not project.comments.is_file():
        return comments.CommentTable()
    path = relative_path(project, project.comments)
    codes = [language.code for language in project.languages]
    table, mistakes = comments.parse_comments(read_text(project.root, project.comments, errors="replace"), codes)
    files = (file.relative_to(project.snippets).as_posix() for file in project.snippets.glob("*/*.py"))  # helpers too
    used = {comment for name in files for comment in comments.comments_in(snippets.read(name))}
    unused = [(line, f"no snippet has the comment {comment!r}", "correct or remove it")
              for comment, line in table.lines.items() if comment not in used]
    findings += [
        Finding(path=path, line=line, column=1, rule="comment-table", message=message, hint=hint)
        for line, message, hint in (*((each.line, each.message, each.hint) for each in mistakes), *unused)
    ]
    return table


def syntax_findings(project: Project, snippets: Snippets, names: Iterable[str]) -> Iterator[Finding]:
    """The snippets that pages show as Python and that do not parse."""
    for name in names:
        try:
            error = find_syntax_error(snippets.read(name))
        except (OSError, ValueError):
            continue  # the page that includes it says so
        if error:
            path = snippets.file(name).relative_to(project.root.resolve()).as_posix()
            yield Finding(path=path, line=error.lineno or 1, column=error.offset or 1, rule="snippet-syntax",
                          message=f"is not Python: {error.msg}", hint="correct the snippet")


@lru_cache(maxsize=64)
def find_syntax_error(code: str) -> SyntaxError | None:
    """Why a program does not parse; the pages of all languages ask that of the same ones. Raises ValueError."""
    try:
        ast.parse(code)
    except SyntaxError as error:
        return error.with_traceback(None)
    return None


def hardware_kinds(project: Project, snippets: Snippets) -> Iterator[tuple[str, frozenset[str]]]:
    """The kinds of hardware whose runners take each snippet, and those that no runner names."""
    table = read_runners(project.root).values()
    unnamed = set(project.hardware).difference(*({each.device, each.stand_in} for each in table))
    for task in tasks.list_tasks(project.root, snippets):
        taken = [{each.device, each.stand_in} for each in table if each.takes(task.requirements)]
        yield task.snippet, frozenset(unnamed.union(*taken))


def read_glossary(project: Project, pages: WrittenPages, findings: list[Finding]) -> tuple[glossary.Term, ...]:
    """The terms of the glossary, none without a glossary; what is wrong with it is a finding."""
    if not project.glossary.is_file():
        return ()
    path = relative_path(project, project.glossary)
    try:
        terms = glossary.parse(read_text(project.root, project.glossary, errors="replace"))
    except glossary.GlossaryError as error:
        findings.append(Finding(path=path, line=error.line, column=1, rule="glossary", message=error.message,
                                hint=error.hint))
        return ()
    findings += explanation_findings(terms, partial(pages.ids, project.source.code), path)
    return terms
