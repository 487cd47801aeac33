"""What changed in the source since a section was translated: its words, its code, with the translation beside."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from os.path import relpath

from hexapla.files import OutsideError, inside
from hexapla.pages import Include
from hexapla.pages.lines import read
from hexapla.pages.parse import directives
from hexapla.translation.difference import Run, word_difference
from hexapla.translation.history import Past, past_sections
from hexapla.translation.records import Record
from hexapla.translation.sections import Read, Section, code, digest, parts
from hexapla.translation.standing import PageStanding, Standing, State
from hexapla.translation.tree import Tree

COMMITS = 200  # of a page and its snippets that are searched for old code


@dataclass(frozen=True, slots=True)
class Difference:
    """A section that is not current, and what became of its source.

    `words` are the runs of old and new words, `code` the lines of a unified difference; None where the old text or the
    old code cannot be found or has not changed. `source` and `translation` are the sections' Markdown today, `before`
    is the source's as it was where the words have changed.
    """

    standing: Standing
    words: tuple[Run, ...] | None
    code: tuple[str, ...] | None
    source: str
    translation: str
    before: str | None = None


def differences(tree: Tree, page: PageStanding, past: Past) -> Iterator[Difference]:
    """The sections of a page that are not current, in the source's order, then those that the source lacks."""
    source = tree.text(page.source_path) if page.source_path else ""
    translation = tree.text(page.path) if page.path else ""
    today = past_sections(source)
    sections = {section.span.id: section for section in tree.source.get(page.page, ())}
    places = {span.id: span for span in tree.spans(page.language, page.page) or ()}
    for standing in page.sections:
        if standing.state is State.CURRENT:
            continue
        section, here = sections.get(standing.id), places.get(standing.here)
        runs = lines = old = None
        record = standing.record
        if section and record and (record.title, record.text) != (section.title, section.text):
            old = past.section(record, page.source_path)
            new = today[section.title, section.text]
            runs = tuple(word_difference(old.words, new.words)) if old else None
        if section and record and record.code != section.code:
            lines = code_difference(tree, page.source_path, section, record, past)
        yield Difference(
            standing, runs, lines,
            source[section.span.start : section.span.end] if section else "",
            translation[here.start : here.end] if here and standing.line else "",
            old.text if old else None,
        )


def code_difference(
    tree: Tree, path: str, section: Section, record: Record, past: Past
) -> tuple[str, ...] | None:
    """The code of a section then and now, as a unified difference without its header; None where git lacks it."""
    text = tree.text(path)
    now = code_of(text, section.span.id, tree.snippet)
    includes = [each for each in directives(read(text)) if isinstance(each, Include)]
    places = [place for include in includes for place in shown(tree, include.path)]
    for commit in past.commits([path, *places], COMMITS):
        old_text = past.at(commit, path)
        if old_text is None:
            continue
        then = code_of(old_text, section.span.id, reader(tree, past, commit))
        if digest(*then) == record.code:
            return tuple(unified_diff(listed(then), listed(now), n=2, lineterm=""))[2:]
    return None


def code_of(text: str, name: str, snippet: Read) -> tuple[str, ...]:
    """The pieces of code of one section, none where the page does not have it."""
    lines = list(read(text))
    includes = [each for each in directives(lines) if isinstance(each, Include)]
    return next((tuple(code(own, includes, snippet)) for span, own in parts(text, lines) if span.id == name), ())


def listed(pieces: Sequence[str]) -> list[str]:
    """The lines of pieces of code, an empty one between two pieces."""
    return "\n\n".join(pieces).split("\n")


def shown(tree: Tree, include: str) -> Iterator[str]:
    """Where an included file lies, relative to the root."""
    for folder in tree.layout.snippets:
        try:
            yield relpath(inside(folder, include), tree.layout.root.resolve())
        except OutsideError:
            continue


def reader(tree: Tree, past: Past, commit: str) -> Read:
    """Included files as they were at a commit."""
    def at(include: str) -> str:
        for place in shown(tree, include):
            text = past.at(commit, place)
            if text is not None:
                return text
        raise FileNotFoundError(include)

    return at

