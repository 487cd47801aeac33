"""Numbers in recorded output, found by how a line starts, the head of a column, or the words beside them."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

NUMBER = re.compile(
    r"(?<![\w.])(?<!\w-)(?P<digits>[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<decimals>\d+))?(?:e[-+]?\d{1,3})?)"
    r"(?: ?(?P<unit>%|(?:bytes?|[kMGT]i?B|ms|µs|s|seconds?|milliseconds?)(?!\w))|(?!\.?\w|-[A-Za-z]))"
)
BYTES = {"byte": 1, "bytes": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
         "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
SECONDS = {"s": "1", "second": "1", "seconds": "1", "ms": "0.001", "millisecond": "0.001", "milliseconds": "0.001",
           "µs": "0.000001"}
UNITS = {
    **{name: ("bytes", Decimal(size)) for name, size in BYTES.items()},
    **{name: ("seconds", Decimal(size)) for name, size in SECONDS.items()},
    "%": ("", Decimal("0.01")),
}
LABEL_END = re.compile(r":| {2}|$")  # what may stand behind the whole first cell of a line


class FigureError(ValueError):
    """A reference that gives no figure; the message says why and what there is."""


class Quantity(NamedTuple):
    """A number; `dimension` is "bytes" or "seconds" where it is a number of those, whatever the unit was.

    `decimals` is as many as printed, or -1 where these say nothing: of a result, and of 9.89 GB or 4%.
    """

    value: Decimal
    dimension: str = ""
    decimals: int = 0


def find_figure(output: str, names: Sequence[str], path: str) -> Quantity:
    """The number in an output that names lead to: each a line's start, the last perhaps a column. Raises FigureError.

    A name after the first is looked for on the line found so far and on the lines indented below it.
    """
    lines = output.splitlines()
    scope, row, rest = list(range(len(lines))), -1, ""
    for depth, name in enumerate(names):
        starting = [number for number in scope if starts_with_name(lines[number], name)]
        if len(starting) > 1:
            whole = [number for number in starting if LABEL_END.match(text_behind(lines[number], name) or "")]
            starting = whole or starting
        if len(starting) > 1:
            raise FigureError(f"{len(starting)} lines of {path} start with {name!r}; say more of the line")
        if starting:
            [row] = starting
            rest = text_behind(lines[row], name) or ""
            scope = list(indented_below(lines, row))
            continue
        if depth == len(names) - 1:
            return in_column(lines, row, rest, name, path)
        raise FigureError(f"no line of {path} starts with {name!r}; there are {line_beginnings(lines, scope)}")
    numbers = list(NUMBER.finditer(rest))
    if len(numbers) != 1:
        line = lines[row].strip()
        raise FigureError(f"the line {line!r} of {path} has {len(numbers)} numbers; add the words beside one")
    return read_number(numbers[0])


def starts_with_name(line: str, name: str) -> bool:
    """Whether a line starts with a name, and the name does not end within a word."""
    rest = text_behind(line, name)
    return rest is not None and not (name[-1:].isalnum() and rest[:1].isalnum())


def text_behind(line: str, name: str) -> str | None:
    """What follows a name that a line starts with."""
    found = start_pattern(name).match(line)
    return line[found.end() :] if found else None


@lru_cache(maxsize=1 << 10)
def start_pattern(name: str) -> re.Pattern[str]:
    """How a line starts with a name. A space is any number of them, since a rendered page keeps one."""
    return re.compile(" *" + " +".join(map(re.escape, name.split())))


def indented_below(lines: Sequence[str], row: int) -> Iterator[int]:
    """The lines below one that are indented deeper than it, up to the first that is not."""
    depth = len(lines[row]) - len(lines[row].lstrip())
    for number in range(row + 1, len(lines)):
        if len(lines[number]) - len(lines[number].lstrip()) <= depth:
            return
        yield number


def line_beginnings(lines: Sequence[str], scope: Sequence[int]) -> str:
    """How the lines start that a name may mean, for a message."""
    return ", ".join(repr(re.split(r"[:,]? {2,}|: ", lines[number].strip())[0][:40]) for number in scope[:8]) or "none"


def in_column(lines: Sequence[str], row: int, rest: str, name: str, path: str) -> Quantity:
    """The number of a row beside the word `name`, or else below that head; without a row, on any line.

    A row's own words come first: an earlier line of the same form, `AdamW: held-out loss 2.21`, looks like a head.
    """
    if row >= 0:
        found = numbers_beside(rest, name) or ([cell] if (cell := below_head(lines, row, name)) else [])
    else:
        found = [number for line in lines for number in numbers_beside(line, name)]
    if not found and row < 0:
        known = line_beginnings(lines, range(len(lines)))
        raise FigureError(f"no line of {path} starts with {name!r} or has a number beside it; there are {known}")
    if len(found) != 1:
        where = f"the line {lines[row].strip()!r} of {path}" if row >= 0 else f"the output of {path}"
        raise FigureError(f"{where} has {len(found)} numbers beside {name!r}")
    return read_number(found[0])


def below_head(lines: Sequence[str], row: int, name: str) -> re.Match[str] | None:
    """The number of a table's row in the column whose head is `name`: it starts or ends where the head does."""
    head = re.compile(rf"(?<!\S){re.escape(name)}(?!\S)")
    numbers = list(NUMBER.finditer(lines[row]))
    for line in reversed(lines[:row]):
        for found in head.finditer(line):
            for number in numbers:
                if number.start() == found.start() or number.end("digits") == found.end():
                    return number
    return None


def numbers_beside(text: str, name: str) -> list[re.Match[str]]:
    """The numbers right behind a name, or else right before: 3 of 5 has 5 for "of". A number is no name."""
    numbers = [] if NUMBER.fullmatch(name) else list(NUMBER.finditer(text))
    return [number for number in numbers if ends_with_name(text[: number.start()].rstrip(" :="), name)] or [
        number for number in numbers
        if any(starts_with_name(text[end:], name) for end in (number.end("digits"), number.end()))
    ]


def ends_with_name(text: str, name: str) -> bool:
    """Whether a text ends with a name, and the name does not start within a word."""
    return text.endswith(name) and not (name[:1].isalnum() and text[: -len(name)][-1:].isalnum())


def read_number(found: re.Match[str]) -> Quantity:
    """A printed number with what its unit makes of it."""
    dimension, size = UNITS.get(found["unit"] or "", ("", Decimal(1)))
    decimals = -1 if size != 1 or "e" in found["digits"] else len(found["decimals"] or "")
    return Quantity(Decimal(found["digits"].replace(",", "")) * size, dimension, decimals)
