"""The source's sections as they were: the text that a translation was made from, and how many words changed since."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from hexapla.git import FileRevision, Repository
from hexapla.pages.lines import Closes, closes_same
from hexapla.translation.records.records import Record
from hexapla.translation.sections.sections import contents, digest
from hexapla.translation.status.status import Change, PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree
from hexapla.translation.word_diff import changed_words

COMMITS = 200  # of a page, searched for what changed a section
Hashes = tuple[str, str]  # of a section's title and text


class OldSection(NamedTuple):
    """A section of the source as it was: its words, heading first, and its Markdown."""

    words: tuple[str, ...]
    text: str


class SourceHistory:
    """The sections that source pages had, by what records say of them; each old page is read once."""

    def __init__(self, repository: Repository, closes_fence: Closes = closes_same) -> None:
        self.repository, self.closes_fence = repository, closes_fence
        self.pages: dict[str, dict[Hashes, OldSection]] = {}  # by the blob's name
        self.versions: dict[str, tuple[FileRevision, ...]] = {}  # by path

    @property
    def known(self) -> bool:
        """Whether there is a history at all."""
        return self.repository.head is not None

    def fetch(self, blobs: Iterable[str]) -> None:
        """Read several pages by the names of their blobs, in one call of git."""
        wanted = [name for name in dict.fromkeys(blobs) if name and name not in self.pages]
        if wanted and self.known:
            found = self.repository.blobs(wanted)
            for name in wanted:
                text = found.get(name, b"").decode("utf-8-sig", "replace")
                self.pages[name] = sections_by_hash(text, self.closes_fence) if name in found else {}

    def section(self, record: Record, path: str) -> OldSection | None:
        """The section that a record was made from; all versions of the source's page at `path` are searched too."""
        self.fetch([record.blob])
        wanted = (record.title, record.text)
        found = self.pages.get(record.blob, {}).get(wanted)
        for version in self.revisions(path) if found is None and path else ():
            self.fetch([version.blob])
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

        `today` are the hashes of its title and text now; a section is followed while either stays.
        """
        made: list[FileRevision] = []
        later, hashes = None, today
        for version in self.revisions(path)[:COMMITS]:
            self.fetch([version.blob])
            then = follow_section(self.pages.get(version.blob, {}), hashes)
            if then != hashes and later is not None:
                made.append(later)
            if then is None or then == (record.title, record.text):
                break
            later, hashes = version, then
        return made


def source_history(tree: TranslationTree) -> SourceHistory:
    """The history of a tree's source."""
    return SourceHistory(Repository(tree.layout.root), tree.layout.closes_fence)


def follow_section(sections: Mapping[Hashes, OldSection], hashes: Hashes) -> Hashes | None:
    """The hashes in an older page of the section that has `hashes` in a newer one, None where it cannot be told."""
    if hashes in sections:
        return hashes
    title, text = hashes
    same = [each for each in sections if each[0] == title or (text and each[1] == text)]
    return same[0] if len(same) == 1 else None


def sections_by_hash(text: str, closes_fence: Closes) -> dict[Hashes, OldSection]:
    """The sections of a page by the hashes of their title and text."""
    found: dict[Hashes, OldSection] = {}
    for section in contents(text, closes_fence):
        hashes = digest(" ".join(section.title)), digest(" ".join(section.words))
        markdown = text[section.span.start : section.span.end]
        found[hashes] = OldSection((*section.title, *section.words), markdown)
    return found


def with_word_counts(
    tree: TranslationTree, pages: Iterable[PageStatus], history: SourceHistory
) -> list[PageStatus]:
    """The same pages, with the changed words of sections counted where the old text is known."""
    @cache
    def today(path: str) -> dict[Hashes, OldSection]:
        return sections_by_hash(tree.text(path), tree.layout.closes_fence)

    def counted(page: PageStatus, status: SectionStatus) -> SectionStatus:
        section = tree.section(page.page, status.id) if status.change is Change.TEXT else None
        old = history.section(status.record, page.source_path) if section and status.record else None
        if section is None or old is None:
            return status
        new = today(page.source_path)[section.title, section.text]
        return status._replace(words=changed_words(old.words, new.words))

    made = list(pages)
    texts = (each.record for page in made for each in page.sections if each.change is Change.TEXT)
    history.fetch(record.blob for record in texts if record)
    return [
        replace(page, sections=tuple(counted(page, each) for each in page.sections))
        if page.state is TranslationState.BEHIND else page
        for page in made
    ]
