"""The standings of a tree as text, as JSON and as annotations of a pull request."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hexapla.pages.invisible import visible
from hexapla.translation.records import Note
from hexapla.translation.status import Change, PageStanding, Standing, State

Pages = Sequence[PageStanding]
SHOWN = 10  # pages that a language lacks, listed by name
COLORS = {State.CURRENT: "32", State.MISSING: "31"}
# GitHub's rules for workflow commands: in a value `%`, CR and LF, in a property also `:` and `,`.
ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def by_language(pages: Pages) -> dict[str, list[PageStanding]]:
    """The pages of each language, in their order."""
    found: dict[str, list[PageStanding]] = {}
    for page in pages:
        found.setdefault(page.language, []).append(page)
    return found


def machine(pages: Pages) -> str:
    """One JSON object, schema 1."""
    languages = {language: summary(found) for language, found in by_language(pages).items()}
    listed = [
        {"page": page.page, "language": page.language, "state": page.state,
         "sections": [entry(section) for section in page.sections]}
        for page in pages
    ]
    return json.dumps({"schema": 1, "languages": languages, "pages": listed}, ensure_ascii=False, indent=1) + "\n"


def summary(pages: Pages) -> dict[str, Any]:
    """The counts of one language."""
    states = Counter(page.state for page in pages)
    sections = Counter(section.state for page in pages for section in page.sections)
    return {
        "pages": {state: states[state] for state in (State.CURRENT, State.BEHIND, State.MISSING)},
        "sections": {state: sections[state] for state in State},
        "words_behind": sum(page.words for page in pages),
    }


def entry(section: Standing) -> dict[str, Any]:
    """One section; `change` is null where nothing changed, `words` where the old text cannot be found."""
    return {"id": section.id, "state": section.state, "change": section.change, "words": section.words}


def text(pages: Pages, notes: Sequence[tuple[str, Note]], history: bool, color: bool = False) -> str:
    """For people: each language's counts, then what is not current, then what to do next."""
    return "\n".join(lines(pages, notes, history, color)) + "\n"


def lines(pages: Pages, notes: Sequence[tuple[str, Note]], history: bool, color: bool) -> Iterator[str]:
    """The report line by line."""
    def paint(words: str, code: str) -> str:
        return f"\033[{code}m{words}\033[0m" if color else words

    for language, found in by_language(pages).items():
        yield paint(counts(language, found), "1")
        missing = [page for page in found if page.state is State.MISSING]
        for page in found:
            if page.state is not State.MISSING and any(each.state is not State.CURRENT for each in page.sections):
                yield from open_page(page, paint)
        yield from absent(missing)
        yield ""
    for where, note in notes:
        yield f"{where}:{note.line}: {note.message}"
    if any(section.words is None and section.change for page in pages for section in page.sections):
        why = "this is no git repository" if not history else "git does not have the text that they were made from"
        yield f"some words are not counted: {why}"
    yield advice(pages)


def counts(language: str, pages: Pages) -> str:
    """One line on a language."""
    total = summary(pages)
    told = ", ".join(f"{count} {state}" for state, count in total["sections"].items() if count)
    done = total["pages"][State.CURRENT]
    words = total["words_behind"]
    return f"{language}: {done} of {len(pages)} pages current; sections: {told or 'none'}; words to look at: {words}"


def open_page(page: PageStanding, paint: Callable[[str, str], str]) -> Iterator[str]:
    """A page that is not current, with its sections that are not."""
    yield paint(f"  {page.path or page.page}  {page.state}", "33")
    blank = [section for section in page.sections if section.state is State.UNRECORDED]
    if len(blank) > 1:
        yield f"    {'':6}  {len(blank)} sections: translated, but nobody has recorded from what"
    for section in page.sections:
        if section.state is not State.CURRENT and (section not in blank or len(blank) == 1):
            place = f"{section.line or '-'}"
            yield f"    {place:>6}  {visible(section.id) or '(top)'}: {what(section)}"


def what(section: Standing) -> str:
    """A section's state in words."""
    known = {
        State.BEHIND: f"behind, {told(section)}",
        State.MISSING: f"missing, {several(section.words or 0, 'word')}",
        State.EXTRA: "extra: the source has no such section",
        State.DRAFT: "a machine's draft that nobody has read",
        State.UNRECORDED: "translated, but nobody has recorded from what",
        State.CURRENT: "current",
    }
    return f"{known[section.state]}{f' ({section.note})' if section.note else ''}"


def told(section: Standing) -> str:
    """What changed, and how much."""
    if section.change is not Change.TEXT:
        return f"its {section.change} changed"
    return "its text changed" if section.words is None else f"{several(section.words, 'word')} changed"


def several(count: int, word: str) -> str:
    """A number of things."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def absent(missing: Pages) -> Iterator[str]:
    """The pages that a language lacks."""
    if missing:
        yield f"  not translated: {several(len(missing), 'page')}"
        yield from (f"    {page.page}  {several(page.words, 'word')}" for page in missing[:SHOWN])
        if len(missing) > SHOWN:
            yield f"    and {len(missing) - SHOWN} more; --format json has them all"


def advice(pages: Pages) -> str:
    """What to run next."""
    for state, command in ((State.BEHIND, "diff"), (State.UNRECORDED, "sync"), (State.DRAFT, "diff")):
        for page in pages:
            if any(section.state is state for section in page.sections) and page.path:
                return f"next: hexapla {command} {page.page} --language {page.language}"
    for page in pages:
        if any(section.state is State.MISSING for section in page.sections):
            return f"next: hexapla export {page.page} --format po --language {page.language} --output messages"
    return "next: nothing is behind" if pages else "next: add a language with `hexapla add-language CODE`"


def github(pages: Pages, notes: Sequence[tuple[str, Note]] = ()) -> str:
    """One notice for each section of the source that languages are behind on: workflow commands."""
    found: dict[tuple[str, int, str], list[tuple[str, Standing]]] = {}
    for page in pages:
        for section in page.sections:
            if section.state is State.BEHIND:
                place = (page.source_path, section.source_line, section.id)
                found.setdefault(place, []).append((page.language, section))
    made = [annotation(*place, languages) for place, languages in found.items()]
    made += [
        f"::warning file={where.translate(PROPERTY)},line={note.line}::{note.message.translate(ESCAPES)}"
        for where, note in notes
    ]
    told = f"{several(len(found), 'section')} of the source put translations behind"
    return "\n".join([*made, told]) + "\n"


def annotation(file: str, line: int, name: str, behind: Sequence[tuple[str, Standing]]) -> str:
    """One notice: which languages are behind on a section, and by what."""
    codes = ", ".join(language for language, _ in behind)
    message = f"the section {name or '(top)'!r} is behind in {codes}: {told(behind[0][1])}"
    title = "translations behind"
    return f"::notice file={file.translate(PROPERTY)},line={line},title={title}::{message.translate(ESCAPES)}"
