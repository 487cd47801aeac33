"""A step as a timeline: what each pass computes, what is sent meanwhile, and the waiting that is left."""

import re

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, NOTHING, ORANGE, PINK, SKY, cell, document, key, text

SNIPPET = "roofline/communication_exercises.py"
SIZE = r"(\d+\.\d+)"
LINE = re.compile(rf"^  (\S.*): forward {SIZE} and {SIZE}, backward {SIZE} and {SIZE}$", re.MULTILINE)
WIDTH, HEIGHT, FONT = {False: 700, True: 340}, 24, {False: 13, True: 11}  # pixels; True: on a narrow screen

PASSES = {"forward": BLUE, "backward": ORANGE}

Pass = tuple[float, float]  # seconds of computing and of sending


def read(output: str) -> dict[str, tuple[Pass, Pass]]:
    """The forward and the backward pass of each way to share a step. Raises TableError."""
    found = {}
    for name, *sizes in LINE.findall(output):
        first, second, third, fourth = map(float, sizes)
        found[name] = ((first, second), (third, fourth))
    if not found:
        raise TableError(f"{output[:40]!r} begins no passes of a step; run {SNIPPET} again")
    return found


def picture(steps: dict[str, tuple[Pass, Pass]], word: Words, look: Look) -> str:
    """For each way, computing above and sending below, over the same seconds; what is not hidden is open waiting."""
    narrow = look.form is NARROW
    size, width = FONT[narrow], WIDTH[narrow]
    label = 52 if narrow else 88
    longest = max(sum(max(each) for each in passes) for passes in steps.values())
    scale = (width - label - 52) / longest  # pixels of a second; room for the sum on the right
    parts: list[str] = []
    top = 0
    for name, passes in steps.items():
        parts.append(text(2, top + size + 2, word(name), size + 1, 'font-weight="bold"'))
        top += size + 10
        parts += [text(2, top + row * HEIGHT + HEIGHT * 0.65, word(said), size - 1)
                  for row, said in enumerate(("computes", "sends"))]
        start = label * 1.0
        for (computing, sending), (said, fill) in zip(passes, PASSES.items(), strict=True):
            lasts = max(computing, sending) * scale
            wide = computing * scale
            parts.append(cell(start, top, wide, HEIGHT, fitting(word(said), wide, size - 1), size - 1, fill))
            if lasts - wide > 1:
                waits = fitting(word("waits"), lasts - wide, size - 1)
                parts.append(cell(start + wide, top, lasts - wide, HEIGHT, waits, size - 1, NOTHING))
            hidden = min(sending, computing) * scale
            parts.append(cell(start, top + HEIGHT, hidden, HEIGHT, "", size, SKY))
            if sending > computing:
                parts.append(cell(start + hidden, top + HEIGHT, sending * scale - hidden, HEIGHT, "", size, PINK))
            start += lasts
        total = sum(max(each) for each in passes)
        parts.append(text(start + 6, top + HEIGHT + 5, f"{total:.1f} s", size, 'font-weight="bold"'))
        top += 2 * HEIGHT + 14
    entries = [(word(said), fill, 1.0) for said, fill in (PASSES | {"hidden": SKY, "not hidden": PINK}).items()]
    parts += key(entries, 2, top, 2 if narrow else 4, (width - 4) / (2 if narrow else 4), size)
    return document(parts, width, top + (38 if narrow else 20), word("step timeline"), look)


def fitting(said: str, width: float, size: float) -> str:
    """A word, or nothing where its box is too narrow; a wide character takes its size, another half of it."""
    needed = sum(size if ord(each) > 0x2E80 else size * 0.56 for each in said)
    return said if needed + 6 < width else ""
