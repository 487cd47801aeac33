"""The lines of a page, each with the block it stands in: the one place that knows fences and comments."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum
from functools import lru_cache
from io import StringIO
from itertools import takewhile
from typing import NamedTuple

from hexapla.pages.mdx_syntax import Mdx, read_mdx

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
    COMMENT = "HTML comment, or one of MDX"
    MARKUP = "import, export, tags and expressions of MDX, and nothing else"

    __hash__ = object.__hash__  # a member's own hash is one of its name, worked out each time


# Members of an enumeration are looked up anew each time, which costs ten times a name: loops over lines use these.
FRONT, PROSE, FENCE_MARK, FENCED, CODE, COMMENT, MARKUP = LineKind


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


def closes_mdx(marks: str, line: str) -> bool:
    """Whether a line closes a fence in MDX, whose pages are read with tags and expressions by whoever is given this."""
    return closes_longer(marks, line)


Closes = Callable[[str, str], bool]


PYTHON_MARKDOWN = ("python-markdown", "pymdownx")
# By who renders a page and makes its ids.
DIALECTS = (*PYTHON_MARKDOWN, "github", "doc-builder", "vitepress", "react", "mintlify", "loose", "docsify", "mdc",
            "hugo", "rspress", "fumadocs", "unknown", "hexo", "myst", "kramdown", "vitepress-2")


def closes_by(anchors: str, mdx: bool = False) -> Closes:
    """What closes a fence on the pages of a layout, by the renderer that its `anchors` name; `mdx` for pages of MDX."""
    return closes_same if anchors in PYTHON_MARKDOWN or not anchors else closes_mdx if mdx else closes_longer


def read(text: str, closes_fence: Closes = closes_same) -> Iterator[Line]:
    """Each line of a page in order; their texts joined are the page's."""
    lines = split_lines(text)
    front = front_matter_end(lines)
    if closes_fence is closes_mdx and not (mdx := mdx_of(text)).error:
        yield from lines_of_mdx(lines, front, mdx)
        return
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
            comment = "-->" not in line
            yield Line(number, line, COMMENT if comment or ends_comment(line) else PROSE)
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
            yield Line(number, line, COMMENT if comment or ends_comment(line) else PROSE)
        elif indented and blank and not container:
            yield Line(number, line, CODE)
            continue  # a run of indented code goes on: `blank` stays
        else:
            yield Line(number, line, PROSE)
        if not indented:
            opens = not bare[0].isalpha() and CONTAINER.match(line.lstrip())
            container = bool(opens) or (container and not blank)
        blank = False


def ends_comment(line: str) -> bool:
    """Whether the first `-->` of a line ends it."""
    return line.find("-->") == len(line.rstrip()) - len("-->")


def mdx_of(text: str) -> Mdx:
    """What is not Markdown in a page of MDX."""
    lines = split_lines(text)
    return read_mdx(text, tuple(lines), front_matter_end(lines))


def lines_of_mdx(lines: list[str], front: int, mdx: Mdx) -> Iterator[Line]:
    """Each line of a page of MDX: a fence's, one with nothing but what is not Markdown, or prose."""
    ahead = deque(mdx.pieces)
    fence, end = -1, 0
    for number, line in enumerate(lines, 1):
        start, end = end, end + len(line)
        here = list(takewhile(lambda piece: piece.start < end, ahead))  # noqa: B023  # used at once
        for _ in takewhile(lambda piece: piece.end <= end, here):  # noqa: B023
            ahead.popleft()
        if number <= front:
            yield Line(number, line, FRONT)
        elif here and here[0].kind == "fence":
            opens, closes = here[0].start == start, here[0].end == end and here[0].closing
            fence += opens
            yield Line(number, line, FENCE_MARK if opens or closes else FENCED, fence)
        else:
            place, rest = start, ""
            for piece in here:
                rest, place = rest + line[place - start : max(piece.start - start, 0)], piece.end
            alone = here and not (rest + line[place - start :]).strip(" \t>\r\n")
            comment = all(piece.kind == "comment" for piece in here)
            yield Line(number, line, (COMMENT if comment else MARKUP) if alone else PROSE)


@lru_cache(maxsize=4)
def read_once(text: str) -> tuple[Line, ...]:
    """The lines of a text, kept for those who look at one page in turn: the parser, the rules, what renders it."""
    return tuple(read(text))
