"""What each rank has before and after a collective, as `train_many/collectives.py` printed it  ->  a picture."""

import re
from typing import NamedTuple

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, GREEN, NOTHING, ORANGE, PINK, SKY, cell, document, key, text

SNIPPET = "train_many/collectives.py"
RANK = re.compile(r"  rank \d: (?P<before>[\d ]+) -> (?P<after>[\d ]+)")
FILLS = (BLUE, ORANGE, GREEN, PINK)
PARTS, CELL, HEIGHT, LABEL, GAP = 4, 35, 24, 48, 26
PANEL = LABEL + 2 * PARTS * CELL + GAP


class Ranks(NamedTuple):
    """A collective: what each rank has before it and after it."""

    name: str
    before: list[list[int]]
    after: list[list[int]]


def read(output: str) -> list[Ranks]:
    """The collectives with the numbers of each rank. Raises TableError."""
    found: list[Ranks] = []
    for line in output.splitlines():
        if not line.startswith(" "):
            found.append(Ranks(line, [], []))
        elif match := RANK.fullmatch(line):
            found[-1].before.append([int(number) for number in match["before"].split()])
            found[-1].after.append([int(number) for number in match["after"].split()])
        else:
            raise TableError(f"{line!r} is no rank's part; run {SNIPPET} again")
    return found


def fill(number: int) -> str:
    """The colour of the rank that a number comes from, or that of a sum: rank 2 has hundreds alone."""
    digits = str(number)
    return FILLS[len(digits) - 1] if set(digits[1:]) <= {"0"} else SKY


def row(numbers: list[int], rank: int, x: float, y: float) -> list[str]:
    """The parts of a rank; a single one is in its own place, and the others are empty."""
    shown = {rank: numbers[0]} if len(numbers) == 1 else dict(enumerate(numbers))
    looks = {part: (str(number), fill(number)) for part, number in shown.items()}
    cells = (looks.get(part, ("", NOTHING)) for part in range(PARTS))
    return [cell(x + part * CELL, y, CELL, HEIGHT, said, 12, colour) for part, (said, colour) in enumerate(cells)]


def picture(collectives: list[Ranks], word: Words, look: Look) -> str:
    """A panel for each collective, two beside each other, or one below the other on a narrow screen."""
    columns = 1 if look.form is NARROW else 2
    height = HEIGHT * (PARTS + 1) + 24
    parts: list[str] = []
    for number, each in enumerate(collectives):
        x, y = number % columns * (PANEL + 24), number // columns * height
        parts.append(text(x + 2, y + 16, word(each.name), 14, 'font-weight="bold"'))
        for rank, (before, after) in enumerate(zip(each.before, each.after, strict=True)):
            top = y + HEIGHT * (rank + 1)
            parts.append(text(x + 2, top + 16, word("rank").format(number=rank), 12))
            parts += row(before, rank, x + LABEL, top) + row(after, rank, x + LABEL + PARTS * CELL + GAP, top)
        parts.append(text(x + LABEL + PARTS * CELL + GAP / 2, y + HEIGHT * 3 + 5, "→", 16, 'text-anchor="middle"'))
    top = (len(collectives) + columns - 1) // columns * height
    entries = [(word("from rank").format(number=rank), colour, 1.0) for rank, colour in enumerate(FILLS)]
    entries.append((word("sum of all ranks"), SKY, 1.0))
    parts += key(entries, 2, top, 5 if columns == 2 else 2, 138 if columns == 2 else 150, 12)
    width = columns * PANEL + (columns - 1) * 24 + 2
    return document(parts, width, top + (22 if columns == 2 else 58), word("collectives"), look)
