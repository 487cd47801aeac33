"""The status of a tree as text, as JSON and as annotations of a pull request."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hexapla.pages.invisible import visible
from hexapla.report_text import annotate_file, as_json, plural
from hexapla.translation.sections.section_problems import Note
from hexapla.translation.status.section_states import Change, PageStatus, SectionStatus, TranslationState

Pages = Sequence[PageStatus]
PAGE_STATES = (TranslationState.CURRENT, TranslationState.BEHIND, TranslationState.MISSING)
HERE = "{page} --language {language}"
NEXT = {
    TranslationState.MOVED: f"sync --moves {HERE}", TranslationState.BEHIND: f"diff {HERE}",
    TranslationState.REVIEW: f"diff {HERE}", TranslationState.UNRECORDED: f"sync {HERE}",
    TranslationState.DRAFT: f"diff {HERE}", TranslationState.EDITED: f"sync {HERE}",
    TranslationState.RENAMED: "check --fix --write",
    TranslationState.MISSING: "export {page} --format po --language {language} --output messages",
}
SHOWN = 10  # pages or texts that a language lacks, listed by name


def by_language(pages: Pages) -> dict[str, list[PageStatus]]:
    """The pages of each language, in their order."""
    found: dict[str, list[PageStatus]] = {}
    for page in pages:
        found.setdefault(page.language, []).append(page)
    return found


def status_json(pages: Pages, beside: Mapping[str, Sequence[str]]) -> str:
    """One JSON object, schema 1; `change` is null where nothing changed, `words` where the old text is not known."""
    languages = {language: count_states(found) for language, found in by_language(pages).items()}
    listed = [
        {"page": page.page, "language": page.language, "state": page.state,
         **({"pull_requests": [each.number for each in page.pull_requests]} if page.pull_requests else {}),
         "sections": [
             {"id": each.id, "state": each.state, "change": each.change, "words": each.words,
              **({"reason": each.record.review} if each.record and each.state is TranslationState.REVIEW else {}),
              **({"outdated": each.touched.reasons} if each.touched else {}),
              **({"doubts": len(each.doubts)} if each.doubts else {}),
              **({"reviewer": each.record.reviewer} if each.record and each.record.reviewer else {})}
             for each in page.sections
         ]}
        for page in pages
    ]
    return as_json(languages=languages, pages=listed, beside=beside) + "\n"


def count_states(pages: Pages) -> dict[str, Any]:
    """The counts of one language."""
    states = Counter(page.state for page in pages)
    sections = Counter(section.state for page in pages for section in page.sections)
    return {
        "pages": {state: states[state] for state in PAGE_STATES},
        "sections": {state: sections[state] for state in TranslationState},
        "words_behind": sum(page.words for page in pages),
        "doubts": sum(len(section.doubts) for page in pages for section in page.sections),
    }


def status_lines(
    pages: Pages, notes: Sequence[tuple[str, Note]], history: bool, color: bool, beside: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """For people: each language's counts, then what is not current, then what to do next."""
    def paint(words: str, code: str) -> str:
        return f"\033[{code}m{words}\033[0m" if color else words

    for language, found in by_language(pages).items():
        yield paint(counts_line(language, found), "1")
        missing = [page for page in found if page.state is TranslationState.MISSING and not has_moved(page)]
        lacking = beside.get(language, ())
        for page in found:
            if page not in missing and any(map(waits_for_people, page.sections)):
                yield from page_lines(page, paint)
        sizes = [f"{page.page}  {plural(page.words, 'word')}{describe_pull_requests(page)}" for page in missing]
        yield from list_lines(f"not translated: {plural(len(missing), 'page')}", sizes)
        yield from list_lines(f"not translated beside the pages: {plural(len(lacking), 'text')}", lacking)
        yield ""
    for where, note in notes:
        yield f"{where}:{note.line}: {note.message}"
    if any(section.words is None and section.change for page in pages for section in page.sections):
        why = "this is no git repository" if not history else "git does not have the text that they were made from"
        yield f"some words are not counted: {why}"
    yield next_command(pages)


def waits_for_people(section: SectionStatus) -> bool:
    """Whether somebody has to look at a section: it is not current, or what it says is doubted."""
    return section.state is not TranslationState.CURRENT or bool(section.doubts)


def has_moved(page: PageStatus) -> bool:
    """Whether sections of a page are translated elsewhere."""
    return any(section.state is TranslationState.MOVED for section in page.sections)


def counts_line(language: str, pages: Pages) -> str:
    total = count_states(pages)
    listed = ", ".join(f"{count} {state}" for state, count in total["sections"].items() if count)
    done = total["pages"][TranslationState.CURRENT]
    words, doubts = total["words_behind"], f"; doubts: {total['doubts']}" if total["doubts"] else ""
    return (f"{language}: {done} of {len(pages)} pages current; sections: {listed or 'none'}; "
            f"words to look at: {words}{doubts}")


def page_lines(page: PageStatus, paint: Callable[[str, str], str]) -> Iterator[str]:
    """A page with its sections that somebody has to look at."""
    yield paint(f"  {page.path or page.page}  {page.state}{describe_pull_requests(page)}", "33")
    unrecorded = sum(section.state is TranslationState.UNRECORDED for section in page.sections)
    if unrecorded > 1:
        yield f"    {'':6}  {unrecorded} sections: translated, but nobody has recorded from what"
    for section in filter(waits_for_people, page.sections):
        if section.state is not TranslationState.UNRECORDED or unrecorded < 2 or section.doubts:
            line = f"{section.line or '-'}"
            yield f"    {line:>6}  {visible(section.id) or '(top)'}: {describe_section(section)}"


def describe_pull_requests(page: PageStatus) -> str:
    """That open pull requests change a page, "" where none does."""
    named = ", ".join(f'#{each.number} "{visible(each.title)}"' for each in page.pull_requests)
    return f", in the open pull request {named}" if named else ""


def describe_section(section: SectionStatus) -> str:
    """A section's state in words."""
    reviewer, review = (section.record.reviewer, section.record.review) if section.record else ("", "")
    recorded = f"reviewed by {visible(reviewer)}" if reviewer else "recorded"
    known = {
        TranslationState.BEHIND: f"behind, {change_text(section)}",
        TranslationState.MISSING: f"missing, {plural(section.words or 0, 'word')}",
        TranslationState.EXTRA: "extra: the source has no such section",
        TranslationState.MOVED: f"moved {section.note}",
        TranslationState.DRAFT: "a machine's draft that nobody has read",
        TranslationState.REVIEW: f"needs review, {review}",
        TranslationState.EDITED: f"edited since it was {recorded}",
        TranslationState.RENAMED: "renamed in the source",
        TranslationState.UNRECORDED: "translated, but nobody has recorded from what",
        TranslationState.CURRENT: "current",
    }
    note = "" if section.state is TranslationState.MOVED else section.note
    doubts = plural(len(section.doubts), "doubt") if section.doubts else ""
    notes = "; ".join(filter(None, (note, *(section.touched.reasons if section.touched else ()), doubts)))
    return f"{known[section.state]}{f' ({notes})' if notes else ''}"


def change_text(section: SectionStatus) -> str:
    """What changed, and how much."""
    if section.state is TranslationState.MOVED:
        return f"what it says now is translated, {section.note}"
    if section.change is not Change.TEXT:
        return f"its {section.change} changed"
    return "its text changed" if section.words is None else f"{plural(section.words, 'word')} changed"


def list_lines(head: str, lines: Sequence[str]) -> Iterator[str]:
    """A list below its head, the first ones by name; nothing for an empty one."""
    if lines:
        yield f"  {head}"
        yield from (f"    {visible(line)}" for line in lines[:SHOWN])
        if len(lines) > SHOWN:
            yield f"    and {len(lines) - SHOWN} more; --format json has them all"


def next_command(pages: Pages) -> str:
    """What to run next: on a page that no open pull request changes."""
    free = [page for page in pages if not page.pull_requests]
    for state, command in NEXT.items():
        for page in free:
            known = state is TranslationState.MISSING or page.path or has_moved(page)
            if known and any(section.state is state for section in page.sections):
                return f"next: hexapla {command.format(page=page.page, language=page.language)}"
    doubted = [page for page in free if any(section.doubts for section in page.sections)]
    left = [page for page in pages if page.state is not TranslationState.CURRENT]
    extra = [page for page in left if not page.pull_requests]  # what the source does not have: they lack nothing
    for page in (*doubted, *extra):
        return f"next: hexapla {'review' if doubted else 'diff'} {page.page} --language {page.language}"
    if left:
        return "next: the open pull requests have all that is left"
    return "next: nothing is behind" if pages else "next: add a language with `hexapla add-language CODE`"


def status_github(pages: Pages, notes: Sequence[tuple[str, Note]] = ()) -> str:
    """One notice for each section of the source that languages are behind on: workflow commands."""
    found: dict[tuple[str, int, str], list[tuple[str, SectionStatus]]] = {}
    for page in pages:
        for section in page.sections:
            moved_here = section.state is TranslationState.MOVED and section.line
            if section.state is TranslationState.BEHIND or moved_here:
                place = (page.source_path, section.source_line, section.id)
                found.setdefault(place, []).append((page.language, section))
    made = []
    for (file, line, name), behind in found.items():
        codes = ", ".join(language for language, _ in behind)
        message = f"the section {name or '(top)'!r} is behind in {codes}: {change_text(behind[0][1])}"
        made.append(annotate_file("notice", message, file=file, line=line, title="translations behind"))
    made += [annotate_file("warning", note.message, file=where, line=note.line) for where, note in notes]
    total = f"{plural(len(found), 'section')} of the source put translations behind"
    return "\n".join([*made, total]) + "\n"
