"""What a page holds. Lines and columns count from 1, in characters of the page's text."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `id` is the one its author wrote, None where the renderer would make one up."""

    level: int
    text: str
    id: str | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block; `line` opens it, `end_line` closes it (0 where nothing does)."""

    language: str
    line: int
    end_line: int
    content: str


@dataclass(frozen=True, slots=True)
class Include:
    """A line `--8<-- "path:section"`, or `path:first:last` in lines of the included file.

    `section` is "" for a whole file; `first` and `last` are None where no range was asked for.
    `language` is that of the fence around it, "" outside fences.
    """

    path: str
    section: str
    first: int | None
    last: int | None
    line: int
    column: int
    indent: str
    language: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a renderer would get wrong without a word; `rule` names it."""

    rule: str
    message: str
    hint: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page's text and what stands in it, in the order of the text."""

    text: str
    meta: Mapping[str, object]
    headings: tuple[Heading, ...]
    fences: tuple[Fence, ...]
    includes: tuple[Include, ...]
    problems: tuple[Problem, ...]
