"""Trees without records: what git says that a translation was made from, and what fell behind since a revision.

Each section's source is taken to be the source of the commit that last touched the translated page, or of the one that
the page itself names (`named_sources`). That is a guess, and the status says so. Where Lunaria is configured, a commit
does not count that it ignores: by a word of its first line, or by a line of its message that lists files.

    @lunaria-ignore:docs/en/first.md;docs/ja/**/second.md
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from hexapla.cache import digest, key_of
from hexapla.files import read_text
from hexapla.git import COMMIT_DIGITS, blob_name
from hexapla.translation.history.changes import COMMITS, snippets_at
from hexapla.translation.history.named_sources import hash_sections, named_commit, named_hashes
from hexapla.translation.records import records
from hexapla.translation.records.records import Key, Record, record_of
from hexapla.translation.sections.section_problems import Note, reason_of
from hexapla.translation.sections.sections import Section, source_sections, translation_digest
from hexapla.translation.status.section_states import (
    Change,
    PageStatus,
    SectionStatus,
    TranslationState,
    find_statuses,
    state_by_record,
)
from hexapla.translation.translation_tree import TranslationTree

MARKUP = re.compile(
    r"\]\(\s*<?(?P<target>[^()\s<>]+)|https?://[^\s<>()\"'`\]]+|\{:?[ \t]*(?P<attributes>[#.][^{}\n]*)\}"
)

BY_GIT = "as git has it"
CHANGED = {TranslationState.BEHIND, TranslationState.MOVED}
IGNORED = ("fix typo", "lunaria-ignore")  # words of a commit's first line, where Lunaria's configuration names none
IGNORED_WORDS = re.compile(r"\bignoredKeywords[\"']?\s*:\s*\[")
WORD = re.compile(r"""\s*(?:"([^"\n]*)"|'([^'\n]*)')\s*,?""")
DIRECTIVE = re.compile(r"@lunaria-(track|ignore):([^\n]+)")


class EarlierSection(NamedTuple):
    """A section of the source at a commit: what it was made of, without the outputs shown, and its markup."""

    record: Record
    markup: frozenset[str]


def judge_by_git(tree: TranslationTree, pages: Iterable[PageStatus]) -> Iterator[PageStatus]:
    """The pages, their sections without records judged by git."""
    repository, words = tree.repository, ignored_words(tree.layout.root)
    edits = repository.commits_that_count(partial(is_tracked, words)) if words is not None else {}
    places = {path: place for place, path in enumerate(edits)}

    @cache
    def list_versions(path: str) -> tuple[tuple[str, str], ...]:
        """The commits that changed a page, the newest first, with its text at each, read in one call of git."""
        made = list(islice(repository.revisions(path), COMMITS))
        texts = repository.blobs(list(dict.fromkeys(each.blob for each in made)))
        return tuple((each.commit, texts.get(each.blob, b"").decode("utf-8", "replace")) for each in made)

    for page in pages:
        open_ones = any(each.state is TranslationState.UNRECORDED for each in page.sections)
        if not open_ones or not (page.path and page.source_path):
            yield page
            continue
        named = named_source(tree, page, list_versions)
        known_edit = repository.head is not None and page.path not in repository.uncommitted
        commit = named or (edits.get(page.path) or repository.last_commits.get(page.path, "") if known_edit else "")
        origin = f"made from {commit[:COMMIT_DIGITS]}" if named else f"last edited in {commit[:COMMIT_DIGITS]}"
        theirs = edits.get(page.source_path)
        if commit and theirs and not named and (
                theirs == commit or places[page.source_path] > places.get(page.path, len(places))):
            commit = repository.head or commit  # the source has not changed since, as far as that counts
        known = sections_at(tree, page.source_path, commit) if commit else {}
        yield replace(page, sections=tuple(judge_section(tree, page, each, known, origin) for each in page.sections))


def named_source(
    tree: TranslationTree, page: PageStatus, versions: Callable[[str], tuple[tuple[str, str], ...]]
) -> str:
    """The commit whose source a page itself names, "" for none."""
    repository, text = tree.repository, tree.text(page.path)
    if (named := named_commit(text)) and (commit := repository.commit(named)):
        return commit
    if hashes := named_hashes(text):
        closes = tree.layout.closes_fence(page.source_path)
        for commit, then in versions(page.source_path):
            if hash_sections(then, closes) == hashes and repository.text_at(commit, page.source_path) is not None:
                return commit  # a page that had another path then is not read there
    return ""


def ignored_words(root: Path) -> list[str] | None:
    """The words by which Lunaria ignores a commit, None where it is not configured."""
    file = min(root.glob("lunaria.config.*"), default=None)
    if file is None:
        return None
    text, words = read_text(root, file, errors="replace"), list[str]()
    found = first = IGNORED_WORDS.search(text)
    while found and (found := WORD.match(text, found.end())):
        words.append(found[1] or found[2])
    return words if first else [*IGNORED]


def is_tracked(words: Sequence[str], path: str, subject: str, body: str) -> bool:
    """Whether a commit counts for a file, as Lunaria has it.

    >>> is_tracked(["typo"], "a.md", "Two pages", "@lunaria-track:b.md"), is_tracked(["typo"], "a.md", "A Typo", "")
    (False, False)
    """
    if any(word and word.lower() in subject.lower() for word in words):
        return False
    found = DIRECTIVE.search(body)
    named = found and any(fits_glob(each.strip(), path) for each in found[2].split(";"))
    return not found or bool(named) is (found[1] == "track")


def fits_glob(glob: str, path: str) -> bool:
    """Whether a path fits a pattern in which `**` stands for any folders.

    >>> [fits_glob("docs/**/a*.md", path) for path in ("docs/a.md", "docs/x/y/ab.md", "docs/x.md", "a.md")]
    [True, True, False, False]
    """
    folders, reached = path.split("/"), {0}
    for part in glob.split("/"):
        if part == "**":
            reached = {*range(min(reached, default=len(folders) + 1), len(folders) + 1)}
        else:
            reached = {place + 1 for place in reached if place < len(folders) and fnmatchcase(folders[place], part)}
    return len(folders) in reached


def lunaria_directive(tree: TranslationTree) -> str:
    """The line of a commit's message that keeps Lunaria from taking pages that are behind for finished, "" for none."""
    if ignored_words(tree.layout.root) is None:
        return ""
    uncommitted = tree.layout.repository.uncommitted  # as it is now: what is told of was written
    left = [page.path for page in find_statuses(tree) if page.path in uncommitted
            and any(each.state in {*CHANGED, TranslationState.MISSING} for each in page.sections)]
    return f"@lunaria-ignore:{';'.join(left)}" * bool(left)


def sections_at(tree: TranslationTree, path: str, commit: str) -> dict[str, EarlierSection]:
    """The sections of a source page at a commit, by id."""
    key = key_of("adopted markup", commit, path, tree.layout)
    kept = tree.cache.get(key)
    if kept is None:
        text = tree.repository.text_at(commit, path) or ""
        blob = blob_name(text.encode())
        found = source_sections(text, snippets_at(tree, commit), lambda name: "", tree.layout.closes_fence(path))
        kept = {
            each.span.id: (Record(each.title, each.text, each.code, "", blob),
                           sorted(find_markup(text[each.span.start : each.span.end])))
            for each in found
        }
        tree.cache.put(key, kept)
    return {name: EarlierSection(Record._make(record), frozenset(pieces)) for name, (record, pieces) in kept.items()}


def find_markup(text: str) -> frozenset[str]:
    """Where the links of a text lead, without the places on pages of this tree, and its ids and attributes."""
    found = set()
    for match in MARKUP.finditer(text):
        target = match["target"] or match.group()
        if match["attributes"]:
            found.add(f"{{{' '.join(match['attributes'].split())}}}")
        else:  # what follows a `#` is part of an address elsewhere, an example to try out in full say
            found.add((target if "://" in target else target.partition("#")[0]).rstrip(".,;:"))
    return frozenset(found - {""})


def judge_section(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, known: Mapping[str, EarlierSection], origin: str
) -> SectionStatus:
    """A section that nobody has recorded: behind where its source has changed since the commit with those `known`."""
    section = tree.section(page.page, status.id)
    if status.state is not TranslationState.UNRECORDED or section is None or not known:
        return status
    first = next(iter(known.values()))
    unlike = EarlierSection(Record("", "", "", "", first.record.blob), frozenset())
    alike = (each for each in known.values() if section.text and each.record.text == section.text)
    then = known.get(status.id) or next(alike, unlike)  # it had another id, or was not there
    record = then.record._replace(output=section.output)
    state, change = state_by_record(record, section)
    note = f"{BY_GIT}: the translation was {origin}"
    if state is not TranslationState.BEHIND:
        now = find_markup(tree.source_text(page.page, section))
        here = find_markup(tree.section_text(page.language, page.page, status.here))
        lacking, stale = sorted(now - then.markup - here), sorted((then.markup - now) & here)
        if not lacking and not stale:
            return status._replace(record=record)
        state, change = TranslationState.BEHIND, Change.MARKUP
        note += "".join(f"; {what}: {', '.join(found)}" for what, found in (("add", lacking), ("drop", stale)) if found)
    words = None if change is Change.TEXT else 0
    return status._replace(state=state, change=change, words=words, record=record, note=note)


def adopted_record(tree: TranslationTree, page: PageStatus, status: SectionStatus) -> Record | None:
    """What git says that a section was made from, None for one that has a record or that git knows nothing of."""
    by_git = status.state is TranslationState.UNRECORDED or status.note.startswith(BY_GIT)
    if not by_git or status.record is None or (page.page, status.id) in tree.records[page.language].of:
        return None
    doubt = f"its markup changed ({status.note})" if status.change is Change.MARKUP else ""
    text = tree.section_text(page.language, page.page, status.here)
    return status.record._replace(review=reason_of([doubt]), translation=translation_digest(text))


def describe_unrecorded(tree: TranslationTree, pages: Iterable[PageStatus]) -> Iterator[tuple[str, Note]]:
    """What to say of languages whose state is told by git alone."""
    for language in dict.fromkeys(page.language for page in pages if page.path):
        if not tree.records[language].of:
            yield records.path(language), Note(1, (
                f"nobody has recorded what {language} was translated from; what is behind is told by the commits that "
                f"last edited its pages, and `hexapla sync {language} --adopt --write` records that"
            ))


class EarlierStatus(NamedTuple):
    """A tree at a revision: the status of its sections, those of its source with their markup, and digests of texts."""

    states: Mapping[tuple[str, str, str], TranslationState]
    sections: Mapping[Key, Section]
    texts: Mapping[tuple[str, str, str], str]
    links: Mapping[Key, frozenset[str]]
    translations: Mapping[tuple[str, str, str], str]


def earlier_status(tree: TranslationTree) -> EarlierStatus:
    """What `newly_behind` has to know of a tree as it was."""
    pages = list(find_statuses(tree))
    every = [(page, each) for page in pages for each in page.sections]
    sections = {(name, each.span.id): each for name in tree.source for each in tree.sections(name)}
    return EarlierStatus(
        {(page.language, page.page, each.id): each.state for page, each in every},
        sections,
        translated_texts(tree, pages),
        {key: find_markup(tree.source_text(key[0], each)) for key, each in sections.items()},
        {(page.language, page.page, each.id): translation_digest(
            tree.section_text(page.language, page.page, each.here)) for page, each in every if each.line},
    )


def translated_texts(tree: TranslationTree, pages: Iterable[PageStatus]) -> dict[tuple[str, str, str], str]:
    """Digests of the translated sections that nobody has recorded."""
    return {
        (page.language, page.page, each.id): digest(tree.section_text(page.language, page.page, each.here))
        for page in pages for each in page.sections
        if each.state is TranslationState.UNRECORDED or (each.state is TranslationState.BEHIND and each.note)
    }


def newly_behind(tree: TranslationTree, before: EarlierStatus, now: Sequence[PageStatus]) -> list[PageStatus]:
    """The pages of `now` with those sections alone that are behind and were not before.

    One that nobody has recorded is put behind by a change of its source that its translation did not follow.
    """
    texts = translated_texts(tree, now)

    def put_behind(page: PageStatus, status: SectionStatus) -> SectionStatus | None:
        key = (page.language, page.page, status.id)
        was, then, section = before.states.get(key), before.sections.get(key[1:]), tree.section(page.page, status.id)
        if status.state in CHANGED and was is TranslationState.CURRENT:
            return status
        if was is not TranslationState.UNRECORDED or not then or not section or before.texts.get(key) != texts.get(key):
            return None
        state, change = state_by_record(record_of(then, ""), section)
        if change is None and status.change is Change.MARKUP:  # git says so, of this change or an earlier one
            return status if before.links[key[1:]] != find_markup(tree.source_text(page.page, section)) else None
        return status._replace(state=state, change=change) if change else None

    made = (
        replace(page, sections=tuple(each for section in page.sections if (each := put_behind(page, section))))
        for page in now
    )
    return [page for page in made if page.sections]
