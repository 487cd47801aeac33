"""The lines of a page, each with the block it stands in: the one place that knows fences and comments."""

import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import lru_cache
from io import StringIO
from typing import NamedTuple

FENCE = re.compile(r"(?P<indent>[ \t>]*)(?P<marks>`{3,}|~{3,})(?P<info>[^`\n]*)$")
# A block whose indented lines are its content, not code: list item, admonition, tab, footnote, definition.
CONTAINER = re.compile(r"(?:[-*+]|\d+[.)])[ \t]|!!!|\?\?\?|===|\[\^[^\]]+\]:|:[ \t]")


class LineKind(Enum):
    """What a line belongs to."""

    FRONT = "front matter"
    PROSE = "prose"
    FENCE_MARK = "the line that opens or closes a fence"
    FENCED = "inside a fence"
    CODE = "indented code"
    COMMENT = "HTML comment"

    __hash__ = object.__hash__  # a member's own hash is one of its name, worked out each time


# Members of an enumeration are looked up anew each time, which costs ten times a name: loops over lines use these.
FRONT, PROSE, FENCE_MARK, FENCED, CODE, COMMENT = LineKind


class Line(NamedTuple):
    """`text` keeps its line ending; `fence` is the number of the fence it belongs to, from 0, or -1.

    A tuple, not a dataclass: a page has hundreds, and they are the first thing made of it.
    """

    number: int
    text: str
    kind: LineKind
    fence: int = -1


def front_matter_end(lines: list[str]) -> int:
    """How many lines the YAML between the first two `---` takes, 0 where there is none."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() in {"---", "..."}:
            return number
    return 0


def indentation(text: str) -> int:
    """How many spaces a line begins with."""
    return len(text) - len(text.lstrip(" "))


def split_lines(text: str) -> list[str]:
    r"""Lines with their endings; only \n, \r\n and \r end one, as in Markdown (str.splitlines knows more)."""
    return list(StringIO(text, newline=""))


def closes_same(marks: str, line: str) -> bool:
    """Whether a line closes a fence for Python-Markdown (fenced_code, superfences): by the very marks that open it."""
    return marks in line and line.strip(" \t>\r\n") == marks


def closes_longer(marks: str, line: str) -> bool:
    """Whether a line closes a fence in CommonMark: as many of the marks as open it, or more."""
    bare = line.strip(" \t>\r\n") if marks in line else ""
    return bool(bare) and not bare.strip(marks[0])


Closes = Callable[[str, str], bool]


PYTHON_MARKDOWN = ("python-markdown", "pymdownx")
# By who renders a page and makes its ids.
DIALECTS = (*PYTHON_MARKDOWN, "github", "doc-builder", "vitepress", "react")


def closes_by(anchors: str) -> Closes:
    """What closes a fence on the pages of a layout, by the renderer that its `anchors` name."""
    return closes_same if anchors in PYTHON_MARKDOWN or not anchors else closes_longer


def read(text: str, closes_fence: Closes = closes_same) -> Iterator[Line]:
    """Each line of a page in order; their texts joined are the page's."""
    lines = split_lines(text)
    front = front_matter_end(lines)
    marks, fence, comment, container, blank = "", -1, False, False, True
    for number, line in enumerate(lines, 1):
        if number <= front:
            yield Line(number, line, FRONT)
            continue
        if marks:
            closes = closes_fence(marks, line)
            yield Line(number, line, FENCE_MARK if closes else FENCED, fence)
            marks = "" if closes else marks
            continue
        if comment:
            yield Line(number, line, COMMENT)
            comment = "-->" not in line
            continue
        bare = line.strip()
        if not bare:
            yield Line(number, line, PROSE)
            blank = True
            continue
        indented = line.startswith(("    ", "\t"))
        opening = FENCE.match(line.rstrip("\r\n")) if "```" in line or "~~~" in line else None
        if opening and (container or not indented):
            marks, fence = opening["marks"], fence + 1
            yield Line(number, line, FENCE_MARK, fence)
        elif bare.startswith("<!--") and (container or not indented):
            comment = "-->" not in line
            yield Line(number, line, COMMENT if bare.endswith("-->") or comment else PROSE)
        elif indented and blank and not container:
            yield Line(number, line, CODE)
            continue  # a run of indented code goes on: `blank` stays
        else:
            yield Line(number, line, PROSE)
        if not indented:
            opens = not bare[0].isalpha() and CONTAINER.match(line.lstrip())
            container = bool(opens) or (container and not blank)
        blank = False


@lru_cache(maxsize=4)
def read_once(text: str) -> tuple[Line, ...]:
    """The same, kept for those who look at one page in turn: the parser, the rules, what renders it."""
    return tuple(read(text))
