"""What changed in the source since a translation was made, as text for a terminal."""

from collections.abc import Iterator, Sequence
from textwrap import fill

from hexapla.pages.invisible import visible
from hexapla.translation.history.changes import SectionDiff
from hexapla.translation.status.section_states import Change, PageStatus, TranslationState
from hexapla.translation.status.status_text import describe_section
from hexapla.translation.word_diff import DiffKind, DiffRun

AROUND = 12  # words that are shown before and after a change
WIDTH = 100
MARKS = {DiffKind.GONE: ("[-", "-]", "31"), DiffKind.NEW: ("{+", "+}", "32")}


def diff_text(page: PageStatus, found: Sequence[SectionDiff], history: bool, color: bool = False) -> str:
    """Section by section: the place, what changed in the source, the translation as it is."""
    lines = [line for each in found for line in section_lines(page, each, history, color)]
    if not lines:
        lines = [f"{page.path or page.page}: nothing has changed since this was translated"]
    return "\n".join(lines) + "\n"


def section_lines(page: PageStatus, found: SectionDiff, history: bool, color: bool) -> Iterator[str]:
    """The lines on one section."""
    status = found.status
    here = f"{page.path}:{status.line}" if status.line else f"({page.language})"
    there = f"  ({page.source_path}:{status.source_line})" if status.source_line else ""
    head = visible(f"{here}  {status.id or '(top)'}: {describe_section(status)}{there}")
    yield f"\033[1m{head}\033[0m" if color else head
    for each in found.commits:
        yield visible(f"  {each.commit}  {each.date}  {each.author}: {each.subject}")
    if found.words is not None:
        yield fill(mark_changed_words(found.words, color), WIDTH, initial_indent="  ", subsequent_indent="  ",
                   break_long_words=False, break_on_hyphens=False)
    elif status.change is Change.TEXT:
        why = "git does not have the text it was made from" if history else "there is no git history here"
        yield f"  the words that changed cannot be shown: {why}; the source today:"
        yield from indent_markdown(found.source)
    if found.code is not None:
        yield from (f"  {visible(line)}" for line in found.code)
    elif status.change is Change.CODE:
        yield "  the code as it was is not in git; `git log -p` on the snippet shows what changed"
    if found.output is not None:
        yield "  the output recorded for its snippet is another one:"
        yield from (f"  {visible(line)}" for line in found.output)
    elif status.change is Change.OUTPUT:
        yield "  the output recorded for its snippet is another one, and the old one is not in git: read the text again"
    if status.state is TranslationState.MISSING:
        yield from indent_markdown(found.source)
    elif found.translation:
        yield f"  {page.language}:"
        yield from indent_markdown(found.translation)
    yield ""


def indent_markdown(markdown: str) -> Iterator[str]:
    return (f"    {line}".rstrip() for line in visible(markdown).strip("\r\n").splitlines())


def mark_changed_words(runs: Sequence[DiffRun], color: bool) -> str:
    """Words with those removed and added marked as git marks them; long unchanged runs are cut."""
    parts = []
    for number, run in enumerate(runs):
        words = [visible(word) for word in run.words]
        if run.kind is DiffKind.KEPT:
            parts.append(" ".join(shorten_run(words, number > 0, number < len(runs) - 1)))
            continue
        before, after, code = MARKS[run.kind]
        marked = f"{before}{' '.join(words)}{after}"
        parts.append(f"\033[{code}m{marked}\033[0m" if color else marked)
    return " ".join(part for part in parts if part)


def shorten_run(words: list[str], before: bool, after: bool) -> list[str]:
    """The words of an unchanged run that are near a change."""
    head, tail = (AROUND if before else 0), (AROUND if after else 0)
    if len(words) <= head + tail + 1:
        return words
    return [*words[:head], "…", *(words[-tail:] if tail else [])]
