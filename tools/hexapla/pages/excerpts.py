"""Parts of a file, cut out by section markers or by lines, with where they stand in it.

The markers are those of pymdownx.snippets, `--8<-- [start:name]` and `--8<-- [end:name]`; that extension passes over
a section that is never closed, one that is empty and a line range out of reach. Here each is an error.
"""

import re
import textwrap
from bisect import bisect
from functools import lru_cache
from typing import NamedTuple

from hexapla.pages.lines import split_lines

MARKER = re.compile(r"(?<!-)-+8<-+[ \t]+\[[ \t]*(?P<type>start|end)[ \t]*:[ \t]*(?P<name>[A-Za-z][-\w]*)[ \t]*\]")


class SectionError(ValueError):
    """What is wrong, in `rule`'s terms; `line` is the line of the included file that shows it, 0 for none."""

    def __init__(self, rule: str, message: str, hint: str, line: int = 0) -> None:
        super().__init__(message)
        self.rule, self.message, self.hint, self.line = rule, message, hint, line


class Excerpt(NamedTuple):
    """Lines `first` to `last` of a file, markers taken out, common indentation taken off; no final newline."""

    text: str
    first: int
    last: int


@lru_cache(maxsize=1024)
def excerpt(source: str, section: str = "", first: int | None = None, last: int | None = None) -> Excerpt:
    """The named section of `source`, or its lines `first` to `last`, or all of it.

    Raises SectionError where the section is missing, opened twice, never closed or empty, or the range out of reach.
    """
    lines = [line.rstrip("\r\n") for line in split_lines(source)]
    if section:
        start, end = section_lines(lines, section)
    elif first is not None:
        start, end = first, len(lines) if last is None else last
        if not 1 <= start <= end <= len(lines):
            raise SectionError(
                "include-empty", f"lines {start} to {end} are not all there: the file has {len(lines)}",
                "correct the range, or mark a section and name it",
            )
    else:
        start, end = 1, len(lines)
    kept = [(number, lines[number - 1]) for number in range(start, end + 1) if not MARKER.search(lines[number - 1])]
    while kept and not kept[0][1].strip():
        kept.pop(0)
    while kept and not kept[-1][1].strip():
        kept.pop()
    if not kept:
        what = f"the section {section!r}" if section else "the file or the range"
        raise SectionError("include-empty", f"{what} holds nothing to show", "put code into it", start)
    return Excerpt(textwrap.dedent("\n".join(line for _, line in kept)), kept[0][0], kept[-1][0])


def section_lines(lines: list[str], name: str) -> tuple[int, int]:
    """First and last line between the two markers of a section."""
    start = end = 0
    for number, line in enumerate(lines, 1):
        marker = MARKER.search(line)
        if marker is None or marker["name"] != name:
            continue
        if marker["type"] == "start":
            if start:
                raise SectionError(
                    "include-section-missing", f"the section {name!r} starts twice", "rename one of the two", number
                )
            start = number
        elif not start:
            raise SectionError(
                "include-section-missing", f"the section {name!r} ends before it starts", "move its start up", number
            )
        elif not end:
            end = number
    if not start:
        marks = (marker for line in lines if (marker := MARKER.search(line)))
        known = ", ".join(sorted({marker["name"] for marker in marks if marker["type"] == "start"})) or "none"
        raise SectionError("include-section-missing", f"no section {name!r}; there are: {known}", "name one of these")
    if not end:
        raise SectionError(
            "include-section-missing", f"the section {name!r} is never closed, so it would run to the end of the file",
            f"add a line with --8<-- [end:{name}]", start,
        )
    return start + 1, end - 1


@lru_cache(maxsize=1024)
def visible_lines(source: str, part: Excerpt) -> tuple[int, int]:
    """First and last line of a part of a file as readers count them, to whom no marker is shown.

    >>> text = "# --8<-- [start:a]\\nx = 1\\n# --8<-- [end:a]\\ny = 2\\n"
    >>> visible_lines(text, excerpt(text, "a")), visible_lines(text, excerpt(text))
    ((1, 1), (1, 2))
    """
    marks = [number for number, line in enumerate(split_lines(source), 1) if MARKER.search(line)]
    return part.first - bisect(marks, part.first), part.last - bisect(marks, part.last)
