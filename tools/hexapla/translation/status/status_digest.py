"""The status of a tree as a digest for the owners of its languages: Markdown, what waits longest first.

Pages and titles come from whoever wrote them: all of their words stand in code, where nothing is a link, a mention or
HTML. The owners alone are mentioned.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from hexapla.report_text import code_text
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState
from hexapla.translation.status.status_text import Pages, by_language, counts_line, describe_section

SHOWN = (20, 10, 5, 2, 1, 0)  # sections of a list that are named, fewer where the whole is too long
LARGEST = 60_000  # characters: a comment on GitHub holds 65,536
LISTS = {
    "Behind": {TranslationState.BEHIND, TranslationState.MOVED},
    "Waits for review": {TranslationState.DRAFT, TranslationState.REVIEW, TranslationState.EDITED},
}
CLOSED = {TranslationState.CURRENT, TranslationState.EXTRA}  # that call nobody: what a language alone has may stay
Row = tuple[str, PageStatus, SectionStatus]  # a section that waits, and since when
Since = Callable[[PageStatus, SectionStatus], str]  # the day since which a section waits, "" for an unknown one


def status_digest(pages: Pages, owners: Mapping[str, Sequence[str]], since: Since) -> str:
    """A part for each language that is not current, "" where all are; its lists are shortened until all parts fit."""
    parts = [
        (f"### {code_text(language)} {' '.join(owners.get(language, ()))}".rstrip(), counts_line(language, found),
         waiting_sections(found, since))
        for language, found in by_language(pages).items()
        if any(each.state not in CLOSED for page in found for each in page.sections)
    ]
    text = ""
    for shown in SHOWN:
        text = "\n".join("".join(f"{line}\n" for line in digest_lines(*part, shown)) for part in parts)
        if len(text) <= LARGEST:
            break
    return text


def waiting_sections(pages: Pages, since: Since) -> dict[str, list[Row]]:
    """The sections of each list, what waits longest first."""
    return {
        title: sorted(
            ((since(page, each), page, each) for page in pages for each in page.sections if each.state in states),
            key=lambda row: (not row[0], row[0]))
        for title, states in LISTS.items()
    }


def digest_lines(head: str, counts: str, lists: Mapping[str, Sequence[Row]], shown: int) -> Iterator[str]:
    """The part of a language, line by line."""
    yield from (head, "", counts)
    for title, found in lists.items():
        if found:
            yield from ("", f"{title}, the oldest first:", "")
            for day, page, section in found[:shown]:
                place = f"{page.path or page.page}{f':{section.line}' if section.line else ''}"
                numbers = "".join(f" (#{each.number})" for each in page.pull_requests)
                yield (f"- {f'since {day}: ' if day else ''}{code_text(place)} {code_text(section.id or '(top)')} "
                       f"{code_text(describe_section(section))}{numbers}")
            if len(found) > shown:
                yield f"- and {len(found) - shown} more"
