"""A decoder layer as `roofline/layer.py` reckoned it  ->  its matrices, attention, and what limits each of them."""

import re
from typing import NamedTuple

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, ORANGE, box, cell, document, key, text

SNIPPET = "roofline/layer.py"
RIDGE = re.compile(r"above (\d+) operations per byte:")
STAGE = re.compile(r"(\w+) of (\d+) over (\d+)")
MATRIX = re.compile(r"^  (\w+): (\d+) x (\d+), ([\d.]+) million weights, ([\d.]+) million operations$", re.MULTILINE)
CACHE = re.compile(r"^  cache: (\d+) bytes per token, (\d+) operations$", re.MULTILINE)
INTENSITY = re.compile(r"^  (\w+), operations per byte: ([\d, ]+)$", re.MULTILINE)
# What is done in parallel is in one row; the two halves of a layer each add to what came in.
HALVES = ((("norm",), ("q", "k", "v"), ("attention",), ("o",)), (("norm",), ("gate", "up"), ("SwiGLU",), ("down",)))
WIDTH, LEFT, SIZE, CELL, SPACE = 322, 24, 10.5, 18, 12


class Layer(NamedTuple):
    """The ridge, the tokens of each stage, the matrices, the cache, and the operations per byte of each work."""

    ridge: int
    stages: dict[str, int]
    matrices: dict[str, tuple[str, ...]]
    cache: tuple[int, int]
    intensities: dict[str, list[int]]


def read(output: str) -> Layer:
    """The layer that was printed. Raises TableError."""
    ridge, cache = RIDGE.search(output), CACHE.search(output)
    if ridge is None or cache is None:
        raise TableError(f"{output[:40]!r} begins no layer; run {SNIPPET} again")
    return Layer(
        int(ridge[1]),
        {stage: int(tokens) for stage, tokens, _ in STAGE.findall(output)},
        {name: tuple(numbers) for name, *numbers in MATRIX.findall(output)},
        (int(cache[1]), int(cache[2])),
        {name: [int(number) for number in numbers.split(", ")] for name, numbers in INTENSITY.findall(output)},
    )


def cells(layer: Layer, name: str, x: float, y: float, width: float) -> list[str]:
    """The operations per byte in each stage, in the colour of what limits it."""
    numbers = layer.intensities[name]
    step = width / len(numbers)
    size = SIZE - (step < 36)
    return [cell(x + place * step, y, step, CELL, f"{number:,}", size, ORANGE if number > layer.ridge else BLUE)
            for place, number in enumerate(numbers)]


def lines(layer: Layer, name: str, word: Words) -> list[str]:
    """What stands in a work's box below its name."""
    if name == "attention":
        size, operations = layer.cache
        return [word("decoder layer: context").format(operations=operations, bytes=size)]
    if name not in layer.matrices:
        return []
    inner, columns, weights, operations = layer.matrices[name]
    said = [word("decoder layer: weights").format(number=weights),
            word("decoder layer: operations").format(number=operations)]
    return [f"{inner} × {columns}", *said]


def named(name: str, word: Words) -> str:
    """A work's name: that of its matrix, or a word and what it does."""
    symbols = {"attention": ": softmax(q·kᵀ)·v", "SwiGLU": "SiLU(gate) · up"}
    return (word(f"decoder layer: {name}") if name in ("attention", "norm") else "") + symbols.get(
        name, "" if name == "norm" else name
    )


def work(layer: Layer, name: str, word: Words, x: float, y: float, width: float) -> tuple[list[str], float]:
    """The box of a work with its cells, and its height: narrow ones have a line for each of their numbers."""
    said, title = lines(layer, name, word), named(name, word)
    if not said:
        wide = WIDTH / 3
        return [box(x, y, width, CELL + 4), text(x + 8, y + 15, title, SIZE),
                *cells(layer, name, x + width - wide - 2, y + 2, wide)], CELL + 4
    if width == WIDTH:
        said = [" · ".join(said)]
    parts = [text(x + width / 2, y + 15, title, SIZE + 1, 'text-anchor="middle" font-weight="bold"')]
    parts += [text(x + width / 2, y + 29 + number * 13, line, SIZE - 0.5, 'text-anchor="middle"')
              for number, line in enumerate(said)]
    high = 24 + 13 * len(said)
    return [box(x, y, width, high + CELL), *parts, *cells(layer, name, x + 2, y + high - 2, width - 4)], high + CELL


def line(path: str) -> str:
    """Where the numbers go."""
    return f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="0.6"/>'


def half(layer: Layer, rows: tuple[tuple[str, ...], ...], word: Words, x: float, y: float) -> tuple[list[str], float]:
    """One half of the layer from the top to its sum, beside the line of what came in, and where it ends."""
    stream, top, left = x + 10, y + 8, x + LEFT
    parts = [line(f"M{stream} {y}V{top}H{left + WIDTH / 2}V{top + SPACE}")]
    bottom, before = top + SPACE, [left + WIDTH / 2]
    for number, row in enumerate(rows):
        width = (WIDTH - 4 * (len(row) - 1)) / len(row)
        places = [left + place * (width + 4) for place in range(len(row))]
        drawn = [work(layer, name, word, place, bottom, width) for name, place in zip(row, places, strict=True)]
        start, bottom = bottom, bottom + max(high for _, high in drawn)
        parts += [part for each, _ in drawn for part in each]
        middles = [place + width / 2 for place in places]
        if number:
            parts += [line(f"M{middle:g} {start}v-{SPACE}") for middle in max(middles, before, key=len)]
        bottom, before = bottom + SPACE, middles
    parts.append(line(f"M{left + WIDTH / 2} {bottom - SPACE}V{bottom}H{stream + 7}"))
    parts.append(line(f"M{stream} {top}V{bottom - 7}m0 14v8"))
    parts.append(f'<circle cx="{stream}" cy="{bottom}" r="7" fill="none" stroke="currentColor"/>')
    parts.append(line(f"M{stream - 4} {bottom}h8m-4 -4v8"))
    return parts, bottom + 15


def picture(layer: Layer, word: Words, look: Look) -> str:
    """Attention and MLP, beside each other or, on a narrow screen, one below the other; and what the cells say."""
    narrow = look.form is NARROW
    parts, ends = [text(2, 14, word("decoder layer"), SIZE + 1)], [20.0]
    for number, rows in enumerate(HALVES):
        x, y = (0, ends[-1]) if narrow else (number * (LEFT + WIDTH + 14), 20)
        drawn, end = half(layer, rows, word, x, y)
        parts += drawn
        ends.append(end)
    top, left = max(ends) + 6, LEFT
    parts.append(text(2, top + 10, word("decoder layer: order"), SIZE))
    stages = [word(f"decoder layer: {stage}").format(tokens=tokens) for stage, tokens in layer.stages.items()]
    wide = WIDTH / len(stages)
    parts += [cell(left + place * wide, top + 16, wide, CELL, said, SIZE)
              for place, said in enumerate(stages)]
    limits = [(f"{word('bound by compute')}, > {layer.ridge}", ORANGE, 1.0),
              (f"{word('bound by memory')}, < {layer.ridge}", BLUE, 1.0)]
    x, y = (left, top + 42) if narrow else (2 * LEFT + WIDTH + 14, top + 19)
    parts += key(limits, x, y, 2, 165, SIZE)
    width = LEFT + WIDTH + 2
    return document(parts, width if narrow else 2 * width + 12, y + 20, word("decoder layer"), look)
