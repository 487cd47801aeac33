"""One number in every format, as `low_precision/bits.py` printed it  ->  a picture of its bits."""

import re
from typing import NamedTuple

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, ORANGE, PINK, cell, document, key, text

SNIPPET = "low_precision/bits.py"
LINE = re.compile(r"(?P<name>\S+(?: \S+)?) +(?P<parts>[01] [01]+ [01]+) (?P<value>\S+) (?P<largest>\S+)")
FILLS = (PINK, ORANGE, BLUE)
PARTS = ("sign", "exponent", "mantissa")


class Format(NamedTuple):
    """A format, the bits of the number in it, the number that they are, and the largest one."""

    name: str
    parts: tuple[str, ...]
    value: str
    largest: str


def read(output: str) -> list[Format]:
    """The formats with their bits. Raises TableError."""
    found = []
    for line in output.splitlines()[1:]:
        match = LINE.fullmatch(line)
        if match is None:
            raise TableError(f"{line!r} has no bits; run {SNIPPET} again")
        largest = f"{float(match['largest']):.2e}".replace("+", "") if "e" in match["largest"] else match["largest"]
        found.append(Format(match["name"], tuple(match["parts"].split()), match["value"], largest))
    return found


def picture(formats: list[Format], word: Words, look: Look) -> str:
    """A row for each format, or two on a narrow screen: its bits, the number, the largest number."""
    narrow = look.form is NARROW
    size, bit, height = (11.5, 11, 20) if narrow else (13, 14.5, 24)
    left, step = (0, height + 26) if narrow else (84, height + 8)
    value, largest, width = (195, 358, 360) if narrow else (645, 728, 730)
    end = 'text-anchor="end"'
    parts = [text(2, 14, word("bits"), size + 1)]
    heads = 34 if narrow else 40
    parts += [text(value, heads, word("its value"), size, end), text(largest, heads, word("largest"), size, end)]
    top = heads + 8
    for each in formats:
        base = top + 15 if narrow else top + height * 0.68
        parts.append(text(2, base, each.name, size, 'font-weight="bold"'))
        parts += [text(value, base, each.value, size, end), text(largest, base, each.largest, size, end)]
        fills = [fill for fill, bits in zip(FILLS, each.parts, strict=True) for _ in bits]
        for number, (digit, fill) in enumerate(zip("".join(each.parts), fills, strict=True)):
            y = top + 20 if narrow else top
            parts.append(cell(left + number * bit, y, bit, height, digit, size - 1.5, fill))
        top += step
    entries = [(word(part), fill, 1.0) for part, fill in zip(PARTS, FILLS, strict=True)]
    parts += key(entries, 2, top + 6, 3, 110, size)
    return document(parts, width, top + 28, word("bits"), look)
