"""What a change means for each language, as one comment in Markdown on a pull request.

Pages and messages come from whoever opened the pull request: all of their words stand in code, where nothing is a link,
a mention or HTML.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hexapla.checks.finding import Finding
from hexapla.report_text import code_text, plural
from hexapla.reports.summary import worst_first

MARK = "<!-- hexapla: pull request -->"  # by which the comment is found again, to be updated
SHOWN = 20     # sections or findings listed by name
LONGEST_COMMAND = 8_000
LIMIT = 60_000  # characters of a comment; GitHub takes 65,536


class SectionChange(NamedTuple):
    """A section of the source that a language is put behind on: the page's path, its id, what changed."""

    path: str
    section: str
    change: str


class Coverage(NamedTuple):
    """How far a language is: pages that it has begun, sections that are current, and of how many in the source."""

    begun: int = 0
    pages: int = 0
    current: int = 0
    sections: int = 0


class LanguageChange(NamedTuple):
    """What a change means for one language: what it puts behind, and how many sections it brings up to date.

    `unrecorded` are the sections whose translation it changes and nobody has recorded, as `path#section`, and `command`
    is the one that records them. `coverage` is how far the language is with the change, `earlier` how far it was.
    """

    language: str
    behind: tuple[SectionChange, ...]
    words: int | None
    updated: int
    unrecorded: tuple[str, ...] = ()
    command: str = ""
    coverage: Coverage = Coverage()
    earlier: Coverage = Coverage()


def make_comment(changes: Sequence[LanguageChange], new: Sequence[Finding], gone: Sequence[Finding], since: str) -> str:
    """The comment; `new` are findings that were not there at the revision `since`, `gone` those that are no more."""
    head = f"{MARK}\n### Translations\n\n"
    foot = f"\nCompared with {code_text(since[:9])}. `hexapla diff` shows what changed in a section that is behind.\n"
    if not (new or gone or any(each.behind or each.updated or each.unrecorded or each.coverage != each.earlier
                               for each in changes)):
        return f"{head}This change puts no translation behind, and the checks found nothing new.\n{foot}"
    made = head + "\n".join(language_table(changes, new, gone)) + "\n"
    made += "".join(record_commands(changes))
    for title, entries in detail_lists(changes, new):
        whole = "\n".join(folded_list(title, entries)) + "\n"
        made += whole if len(made) + len(whole) <= LIMIT else f"\n{title}.\n"
    return made + foot


def record_commands(changes: Sequence[LanguageChange]) -> Iterator[str]:
    """What to run for translations that were changed and not recorded; a command is whole, or not there."""
    for each in changes:
        if each.unrecorded:
            count = plural(len(each.unrecorded), "section")
            told = f"\n{each.language}: the translation of {count} changed and was not recorded as right for the source"
            fence = "`" * (1 + max(map(len, re.findall("`+", each.command)), default=2))
            block = f"{fence}sh\n{each.command}\n{fence}\n"
            safe = each.command.isprintable() and len(each.command) <= LONGEST_COMMAND
            yield f"{told}. Run this and commit `translations/`:\n\n{block}" if safe else (
                f"{told}; record each with `hexapla sync`.\n")


def detail_lists(changes: Sequence[LanguageChange], new: Sequence[Finding]) -> Iterator[tuple[str, list[str]]]:
    """The lists below the table, each with its title."""
    for each in changes:
        if each.behind:
            yield f"{each.language}: {plural(len(each.behind), 'section')} put behind", [
                f"{code_text(change.path)} {code_text(change.section or '(top)')}: {code_text(change.change)}"
                for change in each.behind
            ]
    if new:
        yield f"Checks: {plural(len(new), 'new finding')}", [
            f"{found.severity} {code_text(f'{found.path}:{found.line}')} {code_text(found.rule)}: "
            f"{code_text(f'{found.message}; {found.hint}')}" for found in worst_first(new)
        ]


def language_table(changes: Sequence[LanguageChange], new: Sequence[Finding], gone: Sequence[Finding]) -> Iterator[str]:
    added, solved = (Counter(found.language for found in each) for each in (new, gone))
    known = {each.language: each for each in changes}
    yield ("| Language | Pages begun | Sections current | Put behind | Words changed | Brought up to date "
           "| New findings | Solved |")
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for language in [*known, *sorted((added.keys() | solved.keys()) - known.keys())]:
        each = known.get(language, LanguageChange(language, (), 0, 0))
        words = "not known" if each.words is None else each.words
        begun, pages, current, sections = each.coverage
        yield (f"| {code_text(language) if language else 'all'} | {f'{begun} of {pages}' if pages else ''} "
               f"| {f'{current} of {sections}' if sections else ''} | {len(each.behind)} | {words} | {each.updated} "
               f"| {added[language]} | {solved[language]} |")


def folded_list(title: str, entries: Sequence[str]) -> Iterator[str]:
    """A list that opens on a click, the first entries alone."""
    yield from ("", f"<details><summary>{title}</summary>", "")
    yield from (f"- {entry}" for entry in entries[:SHOWN])
    if len(entries) > SHOWN:
        yield f"- and {len(entries) - SHOWN} more"
    yield from ("", "</details>")
