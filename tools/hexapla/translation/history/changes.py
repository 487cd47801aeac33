"""What changed in the source since a section was translated: its words, its code, the output shown."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import unified_diff
from os.path import relpath
from typing import NamedTuple

from hexapla.files import OutsideError, inside
from hexapla.git import FileRevision, Repository
from hexapla.pages.lines import Closes
from hexapla.translation.history.revisions import SourceHistory, sections_by_hash
from hexapla.translation.sections.sections import Output, Read, SectionContent, contents, digest
from hexapla.translation.status.status import PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree
from hexapla.translation.word_diff import DiffRun, word_diff

COMMITS = 200  # of a page and its snippets, searched for old code and output


class SectionDiff(NamedTuple):
    """A section that is not current, and what changed in its source.

    `words` are the runs of old and new words, `code` and `output` the lines of a unified difference of its code and of
    the output shown; None where what there was cannot be found or has not changed. `source` and `translation` are the
    sections' Markdown today, `before` is the source's as it was where the words have changed, `commits` what changed
    them.
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
    source = tree.text(page.source_path) if page.source_path else ""
    translation = tree.text(page.path) if page.path else ""
    today = sections_by_hash(source, tree.layout.closes_fence)
    spans = tree.spans(page.language, page.page)
    for status in page.sections:
        if status.state is TranslationState.CURRENT:
            continue
        section, here = tree.section(page.page, status.id), spans.get(status.here)
        runs = code = output = old = None
        commits: list[FileRevision] = []
        record = status.record
        if section and record and (record.title, record.text) != (section.title, section.text):
            old = history.section(record, page.source_path)
            new = today[section.title, section.text]
            runs = tuple(word_diff(old.words, new.words)) if old else None
            commits = history.changes(record, page.source_path, (section.title, section.text))
        if section and record and record.code != section.code:
            code = code_diff(tree, page.source_path, status.id, record.code, history.repository)
        if section and record and record.output != section.output:
            output = output_diff(tree, page.source_path, status.id, record.output, history.repository)
        yield SectionDiff(
            status, runs, code, output,
            tree.source_text(page.page, section) if section else "",
            translation[here.start : here.end] if here and status.line else "",
            old.text if old else None, tuple(commits),
        )


def code_diff(
    tree: TranslationTree, path: str, name: str, wanted: str, repository: Repository
) -> tuple[str, ...] | None:
    """The code of a section, from what it was when it had the hash `wanted` to what it is today.

    As a unified difference without its header; None where git lacks it.
    """
    text = tree.text(path)
    closes = tree.layout.closes_fence
    includes = [include for section in contents(text, closes) for include in section.includes]
    files = [file for include in includes for file in snippet_paths(tree, include.path)]

    def code(text: str, snippet: Read) -> tuple[str, ...]:
        return section_part(text, name, closes, lambda section: section.code(snippet))

    then = (
        code(repository.text_at(commit, path) or "", snippets_at(tree, repository, commit))
        for commit in repository.commits([path, *files], COMMITS)
    )
    return unified(then, wanted, code(text, tree.snippet))


def output_diff(
    tree: TranslationTree, path: str, name: str, wanted: str, repository: Repository
) -> tuple[str, ...] | None:
    """The recorded output that a section shows, then and now, as `code_diff` has its code."""
    recordings = tree.recordings
    if recordings is None:
        return None
    folder = relpath(recordings.folder, tree.layout.root)

    def outputs(text: str, output: Output) -> tuple[str, ...]:
        return section_part(text, name, tree.layout.closes_fence, lambda section: section.outputs(output))

    then = (
        outputs(repository.text_at(commit, path) or "", recordings.read(repository.texts_at(commit, folder)))
        for commit in repository.commits([path, folder], COMMITS)
    )
    return unified(then, wanted, outputs(tree.text(path), tree.output))


def section_part(
    text: str, name: str, closes_fence: Closes, part: Callable[[SectionContent], tuple[str, ...]]
) -> tuple[str, ...]:
    """A part of what one section of a page shows, nothing where the page does not have it."""
    return next((part(section) for section in contents(text, closes_fence) if section.span.id == name), ())


def unified(older: Iterable[Sequence[str]], wanted: str, now: Sequence[str]) -> tuple[str, ...] | None:
    """The difference between today's pieces and the first of the older ones with the hash `wanted`."""
    then = next((pieces for pieces in older if digest(*pieces) == wanted), None)
    return None if then is None else tuple(unified_diff(joined_lines(then), joined_lines(now), n=2, lineterm=""))[2:]


def joined_lines(pieces: Sequence[str]) -> list[str]:
    """The lines of pieces of code, an empty one between two pieces."""
    return "\n\n".join(filter(None, pieces)).split("\n")


def snippet_paths(tree: TranslationTree, include: str) -> Iterator[str]:
    """The paths that an included file may have, relative to the root."""
    for folder in tree.layout.snippets:
        try:
            yield relpath(inside(folder, include), tree.layout.root.resolve())
        except OutsideError:
            continue


def snippets_at(tree: TranslationTree, repository: Repository, commit: str) -> Read:
    """A function that returns the text of an included file at a commit, or raises FileNotFoundError."""
    def snippet(include: str) -> str:
        for path in snippet_paths(tree, include):
            text = repository.text_at(commit, path)
            if text is not None:
                return text
        raise FileNotFoundError(include)

    return snippet
