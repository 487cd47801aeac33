"""What changed in the source since a section was translated: its words, its code, the output shown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from os.path import relpath

from hexapla.files import OutsideError, inside
from hexapla.pages import Include
from hexapla.pages.blocks import SourceBlock, read_blocks
from hexapla.pages.lines import read
from hexapla.pages.parser import directives
from hexapla.translation.revisions import Past, past_sections
from hexapla.translation.sections import Output, Read, SectionSpan, code, digest, outputs, parts, within
from hexapla.translation.status import PageStanding, Standing, State
from hexapla.translation.translation_tree import Tree
from hexapla.translation.word_diff import Run, word_difference

COMMITS = 200  # of a page and its snippets that are searched for old code


@dataclass(frozen=True, slots=True)
class Difference:
    """A section that is not current, and what became of its source.

    `words` are the runs of old and new words, `code` and `output` the lines of a unified difference of its code and of
    the output shown; None where what there was cannot be found or has not changed. `source` and `translation` are the
    sections' Markdown today, `before` is the source's as it was where the words have changed.
    """

    standing: Standing
    words: tuple[Run, ...] | None
    code: tuple[str, ...] | None
    output: tuple[str, ...] | None
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
        runs = code = output = old = None
        record = standing.record
        if section and record and (record.title, record.text) != (section.title, section.text):
            old = past.section(record, page.source_path)
            new = today[section.title, section.text]
            runs = tuple(word_difference(old.words, new.words)) if old else None
        if section and record and record.code != section.code:
            code = code_difference(tree, page.source_path, standing.id, record.code, past)
        if section and record and record.output != section.output:
            output = output_difference(tree, page.source_path, standing.id, record.output, past)
        yield Difference(
            standing, runs, code, output,
            source[section.span.start : section.span.end] if section else "",
            translation[here.start : here.end] if here and standing.line else "",
            old.text if old else None,
        )


def code_difference(tree: Tree, path: str, name: str, wanted: str, past: Past) -> tuple[str, ...] | None:
    """The code of a section, from what it was when it had the hash `wanted` to what it is today.

    As a unified difference without its header; None where git lacks it.
    """
    text = tree.text(path)
    places = [place for include in included(text) for place in shown(tree, include.path)]
    return unified(
        (code_of(past.at(commit, path) or "", name, reader(tree, past, commit))
         for commit in past.commits([path, *places], COMMITS)),
        wanted, code_of(text, name, tree.snippet),
    )


def output_difference(tree: Tree, path: str, name: str, wanted: str, past: Past) -> tuple[str, ...] | None:
    """The recorded output that a section shows, then and now, as `code_difference` has its code."""
    recordings = tree.recordings
    if recordings is None:
        return None
    folder = relpath(recordings.folder, tree.layout.root)
    return unified(
        (output_of(past.at(commit, path) or "", name, recordings.read(past.below(commit, folder)))
         for commit in past.commits([path, folder], COMMITS)),
        wanted, output_of(tree.text(path), name, tree.output),
    )


def unified(older: Iterable[Sequence[str]], wanted: str, now: Sequence[str]) -> tuple[str, ...] | None:
    """The difference between today's pieces and the first of the older ones with the hash `wanted`."""
    then = next((pieces for pieces in older if digest(*pieces) == wanted), None)
    return None if then is None else tuple(unified_diff(listed(then), listed(now), n=2, lineterm=""))[2:]


def included(text: str) -> list[Include]:
    """The includes of a page."""
    return [each for each in directives(read(text)) if isinstance(each, Include)]


def code_of(text: str, name: str, snippet: Read) -> tuple[str, ...]:
    """The pieces of code of one section, none where the page does not have it."""
    includes = included(text)
    return next((tuple(code(own, includes, snippet)) for span, own in cut_up(text) if span.id == name), ())


def output_of(text: str, name: str, output: Output) -> tuple[str, ...]:
    """The outputs that are shown in one section, none where the page does not have it."""
    includes = included(text)
    final = {include.path: include.line for include in includes}
    found = (within(own, includes) for span, own in cut_up(text) if span.id == name)
    return next((tuple(outputs(here, final, output)) for here in found), ())


def cut_up(text: str) -> Iterator[tuple[SectionSpan, Sequence[SourceBlock]]]:
    """The sections of a page, each with its blocks."""
    return parts(text, read_blocks(text))


def listed(pieces: Sequence[str]) -> list[str]:
    """The lines of pieces of code, an empty one between two pieces."""
    return "\n\n".join(filter(None, pieces)).split("\n")


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

