"""Trees without records: what git says that a translation was made from.

Each section's source is taken to be the source of the commit that last touched the translated page, or of the commit
that the page names as OpenTelemetry's pages do (`default_lang_commit`). That is a guess, and the status says so.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hexapla.cache import key_of
from hexapla.git import Repository, blob_name
from hexapla.translation import records
from hexapla.translation.changes import snippets_at
from hexapla.translation.records import Note, Record
from hexapla.translation.sections import source_sections
from hexapla.translation.status import PageStatus, SectionStatus, TranslationState, state_by_record
from hexapla.translation.translation_tree import TranslationTree

NAMED = re.compile(r"\A---\n(?:.*\n)*?default_lang_commit:[ \t]*(?P<commit>[0-9a-f]{7,40})\b")
DAY = 10  # characters of a date


def adopted(tree: TranslationTree, pages: Iterable[PageStatus], repository: Repository) -> Iterator[PageStatus]:
    """The pages, those of languages without records judged by git."""
    for page in pages:
        open_ones = any(each.state is TranslationState.UNRECORDED for each in page.sections)
        if not open_ones or tree.records[page.language].of or not (page.path and page.source_path):
            yield page
            continue
        commit = source_commit(tree, page, repository)
        known = sections_at(tree, page.source_path, commit, repository) if commit else {}
        yield replace(page, sections=tuple(judged(tree, page.page, each, known, commit) for each in page.sections))


def source_commit(tree: TranslationTree, page: PageStatus, repository: Repository) -> str:
    """The commit whose source a page was translated from, "" where that cannot be told."""
    if repository.head is None:
        return ""
    named = NAMED.match(tree.text(page.path).replace("\r\n", "\n"))
    if named and (commit := repository.commit(named["commit"])):
        return commit
    return "" if page.path in repository.uncommitted else repository.last_commits.get(page.path, "")


def sections_at(tree: TranslationTree, path: str, commit: str, repository: Repository) -> dict[str, Record]:
    """What the sections of a source page were made of at a commit, by id; without the outputs shown."""
    key = key_of("adopted", commit, path, tree.layout)
    kept = tree.cache.get(key)
    if kept is None:
        text = repository.text_at(commit, path) or ""
        found = source_sections(text, snippets_at(tree, repository, commit), lambda name: "")
        blob = blob_name(text.encode())
        kept = {each.span.id: Record(each.title, each.text, each.code, "", blob) for each in found}
        tree.cache.put(key, kept)
    return {name: Record._make(record) for name, record in kept.items()}


def judged(
    tree: TranslationTree, name: str, status: SectionStatus, known: dict[str, Record], commit: str
) -> SectionStatus:
    """A section that nobody has recorded: behind where its source has changed since that commit."""
    section, then = tree.section(name, status.id), known.get(status.id)
    if status.state is not TranslationState.UNRECORDED or section is None or then is None:
        return status
    record = then._replace(output=section.output)
    state, change = state_by_record(record, section)
    if state is not TranslationState.BEHIND:
        return status._replace(record=record)
    note = f"as git has it: the translation was last edited in {commit[:9]}"
    return status._replace(state=state, change=change, words=None if change == "text" else 0, record=record, note=note)


def doubts(tree: TranslationTree, pages: Iterable[PageStatus]) -> Iterator[tuple[str, Note]]:
    """What to say of languages whose state is told by git alone."""
    for language in dict.fromkeys(page.language for page in pages if page.path):
        if not tree.records[language].of:
            yield records.path(language), Note(1, (
                f"nobody has recorded what {language} was translated from; what is behind is told by the commits that "
                f"last edited its pages, and `hexapla sync {language} --adopt --write` records that"
            ))
