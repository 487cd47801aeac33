"""Decoding step by step, as `infer_one/decoding_steps.py` printed it  ->  pictures of caches and of drafts."""

from typing import NamedTuple

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, GREEN, NOTHING, box, cell, document, key, text

SNIPPET = "infer_one/decoding_steps.py"
ROWS = ("Keys, growing", "Keys, static", "Passes, drafts:", "accepted:")
HEIGHT, BAR = 2.4, 9  # pixels for a token of a cache, and for a step
RESERVED = ("#888888", 0.35)


class Decoding(NamedTuple):
    """The lengths of the keys at each step, with both caches; the drafts of each pass, and how many are accepted."""

    growing: list[int]
    static: list[int]
    drafted: list[int]
    accepted: list[int]


def read(output: str) -> Decoding:
    """The four rows of numbers. Raises TableError."""
    lines = [line.strip() for line in output.splitlines()]
    if len(lines) != len(ROWS) or not all(line.startswith(row) for line, row in zip(lines, ROWS, strict=True)):
        raise TableError(f"{output[:40]!r} begins no steps; run {SNIPPET} again")
    numbers = (line.removeprefix(row).split() for line, row in zip(lines, ROWS, strict=True))
    return Decoding(*([int(number) for number in each] for each in numbers))


def caches(steps: Decoding, word: Words, look: Look) -> str:
    """How long the keys are at each step, with a cache that grows and with a static one."""
    narrow = look.form is NARROW
    size, label, longest = (11 if narrow else 13), 26, max(steps.static)
    width, height = label + len(steps.growing) * BAR, longest * HEIGHT
    parts = [text(2, 14, word("caches"), size + 1)]
    for number, name in enumerate(("growing cache", "static cache")):
        x, y = (0, 30 + number * (height + 62)) if narrow else (number * (width + 40), 30)
        parts.append(text(x + 2, y + 14, word(name), size, 'font-weight="bold"'))
        base = y + 24 + height
        for length in (steps.growing[0], longest):
            parts.append(text(x + label - 6, base - length * HEIGHT + 8, str(length), size - 1, 'text-anchor="end"'))
        for step, length in enumerate(steps.growing):
            left = x + label + step * BAR
            if number:
                parts.append(box(left, base - height, BAR - 1, height - length * HEIGHT, *RESERVED))
            parts.append(box(left, base - length * HEIGHT, BAR - 1, length * HEIGHT, BLUE))
        parts.append(text(x + label, base + 16, word("decoding steps"), size - 1))
    top = 30 + (2 if narrow else 1) * (height + 62) - 4
    entries = [(word("tokens in the cache"), BLUE, 1.0), (word("reserved"), *RESERVED)]
    parts += key(entries, 2, top, 1 if narrow else 2, 260, size)
    return document(parts, width if narrow else 2 * width + 42, top + (38 if narrow else 20), word("caches"), look)


def drafts(steps: Decoding, word: Words, look: Look) -> str:
    """Two lanes for each pass of the model: the drafts that it checks, and below them the token that it gives."""
    narrow = look.form is NARROW
    size, width, lane, label = (11, 12.6, 13, 48) if narrow else (13, 24, 17, 76)
    title = word("drafts").format(tokens=sum(steps.accepted) + len(steps.accepted), passes=len(steps.accepted))
    parts = [text(2, 14, title, size + 1)]
    y, done, furthest = 28, 0, 0
    for number, (drafted, accepted) in enumerate(zip(steps.drafted, steps.accepted, strict=True)):
        parts.append(text(2, y + lane + size * 0.36, word("pass").format(number=number + 1), size))
        left = label + done * width
        for place in range(drafted):
            mark, fill = ("✓", GREEN) if place < accepted else ("×", NOTHING)
            parts.append(cell(left + place * width, y, width, lane, mark, size - 2, fill))
        parts.append(cell(left + accepted * width, y + lane, width, lane, "", size, BLUE))
        furthest = max(furthest, done + drafted, done + accepted + 1)
        done += accepted + 1
        y += 2 * lane + 5
    fills = {"draft accepted": GREEN, "draft rejected": NOTHING, "own token": BLUE}
    entries = [(word(name), fill, 1.0) for name, fill in fills.items()]
    parts += key(entries, 2, y + 6, 1 if narrow else 3, 215, size)
    return document(parts, label + furthest * width + 4, y + (62 if narrow else 24), title, look)
