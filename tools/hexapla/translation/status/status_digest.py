"""The status of a tree as a digest for the owners of its languages: Markdown, what waits longest first.

Pages and titles come from whoever wrote them: all of their words stand in code, where nothing is a link, a mention or
HTML. The owners alone are mentioned.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from hexapla.report_text import code_text
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState
from hexapla.translation.status.status_text import Pages, by_language, counts_line, describe_section

SHOWN = 20  # sections of a list that are named
LISTS = {
    "Behind": {TranslationState.BEHIND, TranslationState.MOVED},
    "Waits for review": {TranslationState.DRAFT, TranslationState.REVIEW, TranslationState.EDITED},
}
Since = Callable[[PageStatus, SectionStatus], str]  # the day since which a section waits, "" for an unknown one


def status_digest(pages: Pages, owners: Mapping[str, Sequence[str]], since: Since) -> str:
    """A part for each language that is not current, "" where all are."""
    parts = (
        language_digest(language, found, owners.get(language, ()), since)
        for language, found in by_language(pages).items()
        if any(each.state is not TranslationState.CURRENT for page in found for each in page.sections)
    )
    return "\n".join("".join(f"{line}\n" for line in part) for part in parts)


def language_digest(language: str, pages: Pages, owners: Sequence[str], since: Since) -> Iterator[str]:
    """The part of a language, line by line."""
    yield f"### {code_text(language)} {' '.join(owners)}".rstrip()
    yield from ("", counts_line(language, pages))
    for title, states in LISTS.items():
        found = [(since(page, each), page, each) for page in pages for each in page.sections if each.state in states]
        found.sort(key=lambda row: (not row[0], row[0]))
        if found:
            yield from ("", f"{title}, the oldest first:", "")
            yield from (section_line(*row) for row in found[:SHOWN])
            if len(found) > SHOWN:
                yield f"- and {len(found) - SHOWN} more"


def section_line(day: str, page: PageStatus, section: SectionStatus) -> str:
    """A section that waits."""
    place = f"{page.path or page.page}{f':{section.line}' if section.line else ''}"
    numbers = "".join(f" (#{each.number})" for each in page.pull_requests)
    return (f"- {f'since {day}: ' if day else ''}{code_text(place)} {code_text(section.id or '(top)')} "
            f"{code_text(describe_section(section))}{numbers}")
