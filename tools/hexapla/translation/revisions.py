"""The source's sections as they were: the text that a translation was made from, and how many words changed since."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hexapla.git import Repository
from hexapla.pages.blocks import read_blocks
from hexapla.translation.normalization import words
from hexapla.translation.records import Record
from hexapla.translation.sections import below, digest, parts
from hexapla.translation.status import Change, PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree
from hexapla.translation.word_diff import changed_words

Hashes = tuple[str, str]  # of a section's title and text


@dataclass(frozen=True, slots=True)
class OldSection:
    """A section of the source as it was: its words, heading first, and its Markdown."""

    words: tuple[str, ...]
    text: str


class SourceHistory:
    """The sections that source pages had, by what records say of them; each old page is read once."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.pages: dict[str, dict[Hashes, OldSection]] = {}  # by the blob's name
        self.versions: dict[str, tuple[str, ...]] = {}        # blob names by path

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
                self.pages[name] = sections_by_hash(text) if name in found else {}

    def section(self, record: Record, path: str) -> OldSection | None:
        """The section that a record was made from; all versions of the source's page at `path` are searched too."""
        self.fetch([record.blob])
        wanted = (record.title, record.text)
        found = self.pages.get(record.blob, {}).get(wanted)
        if found is None and path:
            if path not in self.versions:
                self.versions[path] = tuple(self.repository.blob_names(path))
            for name in self.versions[path]:
                self.fetch([name])
                if found := self.pages.get(name, {}).get(wanted):
                    break
        return found


def sections_by_hash(text: str) -> dict[Hashes, OldSection]:
    """The sections of a page by the hashes of their title and text."""
    found: dict[Hashes, OldSection] = {}
    for span, own in parts(text, read_blocks(text)):
        title, shown = tuple(span.title.split()), words(below(span, own))
        found[digest(" ".join(title)), digest(" ".join(shown))] = OldSection(
            (*title, *shown), text[span.start : span.end]
        )
    return found


def with_word_counts(
    tree: TranslationTree, pages: Iterable[PageStatus], history: SourceHistory
) -> list[PageStatus]:
    """The same pages, with the changed words of sections counted where the old text is known."""
    made = list(pages)
    behind = [page for page in made if page.state is TranslationState.BEHIND]
    texts = (each.record for page in behind for each in page.sections if each.change is Change.TEXT)
    history.fetch(record.blob for record in texts if record)
    today: dict[str, dict[Hashes, OldSection]] = {}
    return [
        replace(page, sections=tuple(with_word_count(tree, page, each, history, today) for each in page.sections))
        if page.state is TranslationState.BEHIND else page
        for page in made
    ]


def with_word_count(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, history: SourceHistory,
    today: dict[str, dict[Hashes, OldSection]],
) -> SectionStatus:
    """One section with its changed words counted; `today` holds the source's pages that were read for others."""
    if status.change is not Change.TEXT or status.record is None:
        return status
    old = history.section(status.record, page.source_path)
    if old is None:
        return status
    if page.page not in today:
        today[page.page] = sections_by_hash(tree.text(page.source_path))
    section = next(each for each in tree.source[page.page] if each.span.id == status.id)
    new = today[page.page][section.title, section.text]
    return status._replace(words=changed_words(old.words, new.words))
