"""The source's sections as they were, and what changed since: the words, the code, the output shown."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import unified_diff
from functools import lru_cache
from os.path import relpath
from typing import NamedTuple

from hexapla.files import OutsideError, join_inside
from hexapla.git import FileRevision, Repository
from hexapla.pages.lines import Closes, closes_same
from hexapla.sequences import opcodes
from hexapla.translation.records.draft_inputs import read_inputs
from hexapla.translation.records.records import Record
from hexapla.translation.sections.sections import Read, Section, SectionContent, hash_parts, section_contents
from hexapla.translation.status.section_states import Change, PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree
from hexapla.translation.word_diff import DiffRun, changed_words, diff_runs

Hashes = tuple[str, str]  # of a section's title and text
COMMITS = 200  # of a page and its snippets, searched for what changed a section, for old code and output


class OldSection(NamedTuple):
    """A section of the source as it was: its words, heading first, and its Markdown."""

    words: tuple[str, ...]
    text: str


class SourceHistory:
    """The sections that source pages had, by what records say of them; each old page is read once."""

    def __init__(
        self, repository: Repository, closes_fence: Callable[[str], Closes] = lambda path: closes_same
    ) -> None:
        self.repository, self.closes_fence = repository, closes_fence
        self.pages: dict[str, Mapping[Hashes, OldSection]] = {}  # by the blob's name
        self.versions: dict[str, tuple[FileRevision, ...]] = {}  # by path

    def fetch_pages(self, blobs: Iterable[tuple[str, str]]) -> None:
        """Read several pages by the names of their blobs and the paths of today's, in one call of git."""
        wanted = {name: path for name, path in blobs if name and name not in self.pages}
        if wanted and self.repository.head:
            found = self.repository.blobs(list(wanted))
            for name, path in wanted.items():
                text = found.get(name, b"").decode("utf-8-sig", "replace")
                self.pages[name] = sections_by_hash(text, self.closes_fence(path)) if name in found else {}

    def section(self, record: Record, path: str) -> OldSection | None:
        """The section that a record was made from; all versions of the source's page at `path` are searched too."""
        self.fetch_pages([(record.blob, path)])
        wanted = (record.title, record.text)
        found = self.pages.get(record.blob, {}).get(wanted)
        for version in self.revisions(path) if found is None and path else ():
            self.fetch_pages([(version.blob, path)])
            if found := self.pages.get(version.blob, {}).get(wanted):
                break
        return found

    def revisions(self, path: str) -> tuple[FileRevision, ...]:
        """What a page was, the newest first."""
        if path not in self.versions:
            self.versions[path] = tuple(self.repository.revisions(path))
        return self.versions[path]

    def changes(self, record: Record, path: str, today: Hashes) -> list[FileRevision]:
        """The commits that changed the words of a section since it was translated, the newest first.

        A section is followed back from the hashes of `today` while its title or its text stays.
        """
        made: list[FileRevision] = []
        later, hashes = None, today
        for version in self.revisions(path)[:COMMITS]:
            self.fetch_pages([(version.blob, path)])
            then = follow_section(self.pages.get(version.blob, {}), hashes)
            if then != hashes and later is not None:
                made.append(later)
            if then is None or then == (record.title, record.text):
                break
            later, hashes = version, then
        return made


def source_history(tree: TranslationTree) -> SourceHistory:
    return SourceHistory(tree.repository, tree.layout.closes_fence)


def follow_section(sections: Mapping[Hashes, OldSection], hashes: Hashes) -> Hashes | None:
    """The hashes in an older page of the section that has `hashes` in a newer one, None where it cannot be told."""
    if hashes in sections:
        return hashes
    title, text = hashes
    same = [each for each in sections if each[0] == title or (text and each[1] == text)]
    return same[0] if len(same) == 1 else None


@lru_cache(maxsize=64)
def sections_by_hash(text: str, closes_fence: Closes) -> Mapping[Hashes, OldSection]:
    """The sections of a page by the hashes of their title and text."""
    found: dict[Hashes, OldSection] = {}
    for section in section_contents(text, closes_fence):
        hashes = hash_parts(" ".join(section.title)), hash_parts(" ".join(section.words))
        markdown = text[section.span.start : section.span.end]
        found[hashes] = OldSection((*section.title, *section.words), markdown)
    return found


def section_today(tree: TranslationTree, path: str, section: Section) -> OldSection:
    """A section of the source's page at `path` as it is now."""
    return sections_by_hash(tree.text(path), tree.layout.closes_fence(path))[section.title, section.text]


def with_word_counts(
    tree: TranslationTree, pages: Iterable[PageStatus], history: SourceHistory
) -> list[PageStatus]:
    """The pages' status with the changed words of sections counted where the old text is known."""
    def count_words(page: PageStatus, status: SectionStatus) -> SectionStatus:
        section = tree.section(page.page, status.id) if status.change is Change.TEXT else None
        old = history.section(status.record, page.source_path) if section and status.record else None
        if section is None or old is None:
            return status
        return status._replace(words=changed_words(old.words, section_today(tree, page.source_path, section).words))

    made = list(pages)
    history.fetch_pages((each.record.blob, page.source_path) for page in made for each in page.sections
                  if each.change is Change.TEXT and each.record)
    return [
        replace(page, sections=tuple(count_words(page, each) for each in page.sections))
        if page.state is TranslationState.BEHIND else page
        for page in made
    ]


def waits_since(tree: TranslationTree, page: PageStatus, status: SectionStatus, history: SourceHistory) -> str:
    """The day since which a section waits, "" where that cannot be told.

    It is behind since a commit changed its words first, a draft since it was made, else waits since its page changed.
    """
    section, record = tree.section(page.page, status.id), status.record
    if status.state is TranslationState.BEHIND and status.change is not Change.TEXT:
        return ""
    if status.state is TranslationState.BEHIND and section and record:
        made = history.changes(record, page.source_path, (section.title, section.text))
        return made[-1].date if made else ""
    if status.state is TranslationState.DRAFT and record and (inputs := read_inputs(record.drafted)):
        return inputs.day
    return next((each.date for each in history.revisions(page.path)), "") if page.path else ""


class SectionDiff(NamedTuple):
    """A section that is not current, and what changed in its source; None for what cannot be found or has not changed.

    `source` and `translation` are the Markdown of today, `before` is the source's that was translated.
    """

    status: SectionStatus
    words: tuple[DiffRun, ...] | None
    code: tuple[str, ...] | None
    output: tuple[str, ...] | None
    source: str
    translation: str
    before: str | None = None
    commits: tuple[FileRevision, ...] = ()


def section_diffs(tree: TranslationTree, page: PageStatus, history: SourceHistory) -> Iterator[SectionDiff]:
    """The sections of a page that are not current, in the source's order, then those that the source lacks."""
    return (section_diff(tree, page, each, history) for each in page.sections
            if each.state is not TranslationState.CURRENT)


def section_diff(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, history: SourceHistory
) -> SectionDiff:
    """What changed in the source of a section since it was translated."""
    section, record, path = tree.section(page.page, status.id), status.record, page.source_path
    runs = code = output = old = None
    commits: list[FileRevision] = []
    if section and record:
        if (record.title, record.text) != (section.title, section.text):
            old, new = history.section(record, path), section_today(tree, path, section)
            runs = tuple(diff_runs(opcodes(old.words, new.words), old.words, new.words)) if old else None
            commits = history.changes(record, path, (section.title, section.text))
        if record.code != section.code:
            code = code_diff(tree, path, status.id, record.code)
        if record.output != section.output:
            output = output_diff(tree, path, status.id, record.output)
    return SectionDiff(
        status, runs, code, output, tree.source_text(page.page, section) if section else "",
        tree.section_text(page.language, page.page, status.here) if status.line else "",
        old.text if old else None, tuple(commits),
    )


def code_diff(tree: TranslationTree, path: str, name: str, wanted: str) -> tuple[str, ...] | None:
    """The code of a section, from what it was when it had the hash `wanted` to what it is today.

    As a unified difference without its header; None where git lacks it.
    """
    sections = section_contents(tree.text(path), tree.layout.closes_fence(path))
    files = [file for section in sections for each in section.includes for file in snippet_paths(tree, each.path)]
    return part_diff(tree, path, name, wanted, files, lambda section, commit: section.code(
        snippets_at(tree, commit) if commit else tree.snippet))


def output_diff(tree: TranslationTree, path: str, name: str, wanted: str) -> tuple[str, ...] | None:
    """The recorded output that a section shows, then and now, as `code_diff` has its code."""
    recordings = tree.recordings
    if recordings is None:
        return None
    folder = relpath(recordings.folder, tree.layout.root)
    return part_diff(tree, path, name, wanted, [folder], lambda section, commit: section.outputs(
        recordings.read(tree.repository.texts_at(commit, folder)) if commit else tree.output))


def part_diff(
    tree: TranslationTree, path: str, name: str, wanted: str, files: Sequence[str],
    part: Callable[[SectionContent, str], tuple[str, ...]],
) -> tuple[str, ...] | None:
    """The difference of what `part` finds in a section at a commit, which rests on `files` too, and today, at ""."""
    repository = tree.repository

    def part_at(commit: str) -> tuple[str, ...]:
        text = (repository.text_at(commit, path) or "") if commit else tree.text(path)
        sections = section_contents(text, tree.layout.closes_fence(path))
        return next((part(section, commit) for section in sections if section.span.id == name), ())

    older = map(part_at, repository.commits([path, *files], COMMITS))
    then = next((pieces for pieces in older if hash_parts(*pieces) == wanted), None)
    if then is None:
        return None
    before, after = ("\n\n".join(filter(None, pieces)).split("\n") for pieces in (then, part_at("")))
    return tuple(unified_diff(before, after, n=2, lineterm=""))[2:]


def snippet_paths(tree: TranslationTree, include: str) -> Iterator[str]:
    """The paths that an included file may have, relative to the root."""
    for folder in tree.layout.snippets:
        try:
            yield relpath(join_inside(folder, include), tree.layout.root.resolve())
        except OutsideError:
            continue


def snippets_at(tree: TranslationTree, commit: str) -> Read:
    """A function that returns the text of an included file at a commit, or raises FileNotFoundError."""
    def read_snippet(include: str) -> str:
        for path in snippet_paths(tree, include):
            if (text := tree.repository.text_at(commit, path)) is not None:
                return text
        raise FileNotFoundError(include)

    return read_snippet
