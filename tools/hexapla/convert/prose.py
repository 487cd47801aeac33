"""Change what a page says between its code, and nothing else of it."""

import re
from collections.abc import Callable, Sequence

from hexapla.convert.conversion_records import Take
from hexapla.pages.lines import COMMENT, PROSE, read, split_lines
from hexapla.pages.verbatim import replace_verbatim

Change = Callable[[str, int], str]
Replace = Callable[[re.Match[str], int], str]  # given a match and its line
# Code, comments and whatever stands in them are never looked at: the first alternative of every inline expression.
VERBATIM = r"(?P<ticks>`+)|(?P<skipped><!--[^<>]*-->)"
MARK = "<!-- kept: "  # what begins a comment that keeps what the dialect wrote
END = " -->"
KEPT = re.compile(MARK + r"(?:(?!<!--|-->).)*" + END, re.S)


def change_prose(text: str, change: Change, comments: bool = False) -> str:
    """`text` with `change` applied to each paragraph, given its first line's number; to `comments` too if asked."""
    done: list[str] = []
    run: list[str] = []
    first = 0
    for line in read(text):
        changes = line.kind is PROSE or (comments and line.kind is COMMENT)
        if changes:
            first = first if run else line.number
            run.append(line.text)
            if line.text.strip():
                continue
        if run:
            done.append(change("".join(run), first))
            run = []
        if not changes:
            done.append(line.text)
    return "".join([*done, change("".join(run), first)] if run else done)


def replace_outside_code(pattern: re.Pattern[str], replace: Replace, text: str, first: int) -> str:
    """A paragraph, from line `first` on, with what an expression that begins with VERBATIM finds replaced."""
    def replace_part(match: re.Match[str]) -> str:
        outside = match.re is pattern and match.lastgroup != "skipped"
        return replace(match, line_at(text, match.start(), first)) if outside else match.group()

    return replace_verbatim(replace_part, text, pattern)


def replace_in_prose(pattern: re.Pattern[str], replace: Replace, text: str) -> str:
    """A page with what an expression that begins with VERBATIM finds outside code and comments replaced."""
    return change_prose(text, lambda run, first: replace_outside_code(pattern, replace, run, first))


def find_written(form: re.Pattern[str], text: str) -> tuple[int, str] | None:
    """The line and the text of the first thing outside code that has a form, None where there is none."""
    for line in read(text):
        if (line.kind is PROSE or line.kind is COMMENT) and (match := form.match(line.text.rstrip("\r\n"))):
            return line.number, match.group().strip()[-40:]
    return None


def keep_original(original: str) -> str:
    """A comment that shows nothing and keeps `original`."""
    return MARK + original.replace("&", "&amp;").replace("-->", "--&gt;") + END


def keep_match(comment: str) -> str:
    """What `keep_original` was given."""
    return comment[len(MARK) : -len(END)].replace("--&gt;", "-->").replace("&amp;", "&")


def line_at(text: str, offset: int, first: int) -> int:
    """The line of an offset in a paragraph that begins on line `first`."""
    return first + text.count("\n", 0, offset)


def renumber_notes(note: Take, pieces: Sequence[str]) -> Take:
    """What takes notes on the lines of a page, each of which has become a piece of one line or more."""
    before = [number for number, piece in enumerate(pieces, 1) for _ in split_lines(piece)] or [1]
    return lambda kind, line, message: note(kind, before[min(line, len(before)) - 1], message)
