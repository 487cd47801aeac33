"""What changed since a translation was made, for people at a terminal."""

from collections.abc import Iterator, Sequence
from textwrap import fill

from hexapla.pages.invisible import visible
from hexapla.translation.changes import Difference
from hexapla.translation.status import Change, PageStanding, State
from hexapla.translation.status_text import what
from hexapla.translation.word_diff import Kind, Run

AROUND = 12  # words that are shown before and after a change
WIDTH = 100
MARKS = {Kind.GONE: ("[-", "-]", "31"), Kind.NEW: ("{+", "+}", "32")}


def text(page: PageStanding, found: Sequence[Difference], history: bool, color: bool = False) -> str:
    """Section by section: where, what changed in the source, the translation as it is."""
    lines = [line for each in found for line in section(page, each, history, color)]
    if not lines:
        lines = [f"{page.path or page.page}: nothing has changed since this was translated"]
    return "\n".join(lines) + "\n"


def section(page: PageStanding, found: Difference, history: bool, color: bool) -> Iterator[str]:
    """The lines on one section."""
    standing = found.standing
    here = f"{page.path}:{standing.line}" if standing.line else f"({page.language})"
    there = f"  ({page.source_path}:{standing.source_line})" if standing.source_line else ""
    head = visible(f"{here}  {standing.id or '(top)'}: {what(standing)}{there}")
    yield f"\033[1m{head}\033[0m" if color else head
    if found.words is not None:
        yield fill(painted(found.words, color), WIDTH, initial_indent="  ", subsequent_indent="  ",
                   break_long_words=False, break_on_hyphens=False)
    elif standing.change is Change.TEXT:
        why = "git does not have the text it was made from" if history else "there is no git history here"
        yield f"  the words that changed cannot be shown: {why}; the source today:"
        yield from indented(found.source)
    if found.code is not None:
        yield from (f"  {visible(line)}" for line in found.code)
    elif standing.change is Change.CODE:
        yield "  the code as it was is not in git; `git log -p` on the snippet shows what changed"
    if found.output is not None:
        yield "  the output recorded for its snippet is another one:"
        yield from (f"  {visible(line)}" for line in found.output)
    elif standing.change is Change.OUTPUT:
        yield "  the output recorded for its snippet is another one, and the old one is not in git: read the text again"
    if standing.state is State.MISSING:
        yield from indented(found.source)
    elif found.translation:
        yield f"  {page.language}:"
        yield from indented(found.translation)
    yield ""


def indented(markdown: str) -> Iterator[str]:
    """Markdown, set in."""
    return (f"    {line}".rstrip() for line in visible(markdown).strip("\r\n").splitlines())


def painted(runs: Sequence[Run], color: bool) -> str:
    """Words with what went and what came marked as git marks them; long runs that stayed are cut."""
    parts = []
    for number, run in enumerate(runs):
        words = [visible(word) for word in run.words]
        if run.kind is Kind.KEPT:
            parts.append(" ".join(shortened(words, number > 0, number < len(runs) - 1)))
            continue
        before, after, code = MARKS[run.kind]
        marked = f"{before}{' '.join(words)}{after}"
        parts.append(f"\033[{code}m{marked}\033[0m" if color else marked)
    return " ".join(part for part in parts if part)


def shortened(words: list[str], before: bool, after: bool) -> list[str]:
    """A run of words that stayed: those near a change."""
    head, tail = (AROUND if before else 0), (AROUND if after else 0)
    if len(words) <= head + tail + 1:
        return words
    return [*words[:head], "…", *(words[-tail:] if tail else [])]
