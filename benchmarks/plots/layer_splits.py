"""What each rank has of a block's matrices, and how a batch is best split, as `roofline/sharding.py` derived both."""

import re
from typing import NamedTuple

from benchmarks.plots.draw import NARROW, WIDE, Look, Words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.roofline import Line, pairs, share_lines
from benchmarks.plots.svg import BLUE, NOTHING, ORANGE, SKY, box, cell, document, key, text

SNIPPET = "roofline/sharding.py"
BLOCK = re.compile(r"^A block with (?P<method>.+), split along (?P<along>\w):$")
PRODUCT = re.compile(r"^  (\w+)\[(\w\w)\] (\w+)\[(\w\w)\] -> (\w+)\[(\w\w)\]: (.*)$")
SHARES = re.compile(r"^  (?P<ranks>\d+) ranks, (?P<tensor>\d+) share each product: (?P<points>.*)$", re.MULTILINE)
DRAWN = ("FSDP", "tensor parallelism")
RANKS, SIDE, SIGN, SIZE, ROW = 4, 40, 16, 12, 82
PRODUCT_WIDTH = 3 * SIDE + 2 * SIGN + 18
PANEL = 2 * PRODUCT_WIDTH
STYLES = {8: "-", 64: "--"}
GRID = {"ranks": 2, "x[t_D, i]": 1, "w1[i_D, f_T]": 2, "h[t_D, f_T]": 2}  # into how many columns T splits each


class Product(NamedTuple):
    """The matrices of a product with their dimensions, the output last, and what is sent of which."""

    matrices: list[tuple[str, str]]
    sent: dict[str, str]


class Block(NamedTuple):
    """The dimension that a method splits, and the products of the forward and of the backward pass."""

    along: str
    products: list[Product]


def read_blocks(output: str) -> dict[str, Block]:
    """The blocks that are drawn, by their method. Raises TableError."""
    found: dict[str, Block] = {}
    for line in output.splitlines():
        if match := BLOCK.match(line):
            found[match["method"]] = Block(match["along"], [])
        elif match := PRODUCT.match(line):
            *names, sent = match.groups()
            matrices = list(zip(names[::2], names[1::2], strict=True))
            words = sent.split() if sent != "nothing" else []
            found[list(found)[-1]].products.append(Product(matrices, dict(zip(words[1::2], words[::2], strict=True))))
    if missing := [method for method in DRAWN if method not in found]:
        raise TableError(f"{output[:40]!r} begins no block with {missing[0]}; run {SNIPPET} again")
    return found


def read_shares(output: str) -> dict[int, dict[int, Line]]:
    """For each number of ranks the line of each split. Raises TableError."""
    found: dict[int, dict[int, Line]] = {}
    for line in SHARES.finditer(output):
        found.setdefault(int(line["ranks"]), {})[int(line["tensor"])] = pairs(line["points"])
    if found.keys() != STYLES.keys():
        raise TableError(f"{output[:40]!r} begins no shares of a step; run {SNIPPET} again")
    return found


def matrix(x: float, y: float, shape: str, along: str, own: str, rest: str) -> list[str]:
    """A square in as many strips as ranks along a dimension of `shape`, the first one in rank 0's colour."""
    across = shape.index(along) == 1
    step = SIDE / RANKS
    wide, high = (step, SIDE) if across else (SIDE, step)
    right, down = (step, 0) if across else (0, step)
    return [
        box(x + rank * right + 0.5, y + rank * down + 0.5, wide - 1, high - 1, rest if rank else own)
        for rank in range(RANKS)
    ]


def drawn(name: str, shape: str, product: Product, along: str, x: float, y: float) -> list[str]:
    """One matrix of a product: split as the method splits it, gathered, whole, or a partial sum."""
    if along in shape:
        return matrix(x, y, shape, along, BLUE, NOTHING)
    if name == product.matrices[-1][0]:
        return matrix(x, y, shape, shape[0], ORANGE, ORANGE)
    gathered = name in product.sent
    return matrix(x, y, shape, dict(product.matrices)[name][0], BLUE, SKY if gathered else BLUE)


def panel(block: Block, title: str, word: Words, x: float, y: float) -> list[str]:
    """The products of a method, two in a row: those of the forward pass, then those of the backward pass."""
    parts = [text(x, y + SIZE, title, SIZE + 1, 'font-weight="bold"')]
    for number, product in enumerate(block.products):
        row, column = divmod(number, 2)
        left, top = x + column * PRODUCT_WIDTH, y + 42 + row * ROW + (row > 0) * 20
        if number in (0, 2):
            parts.append(text(x, top - 10, word(("phase: forward", "phase: backward")[number // 2]), SIZE))
        *inputs, (_, result) = product.matrices
        inner = next(letter for letter in inputs[0][1] if letter in inputs[1][1] and letter not in result)
        shapes = (result[0] + inner, inner + result[1], result)
        for place, ((name, shape), turned) in enumerate(zip(product.matrices, shapes, strict=True)):
            start = left + place * (SIDE + SIGN)
            parts.append(text(start + SIDE / 2, top + 8, name + "ᵀ" * (turned != shape), SIZE, 'text-anchor="middle"'))
            parts += drawn(name, turned, product, block.along, start, top + 12)
            said = word(product.sent[name]) if name in product.sent else ""
            parts.append(text(start + SIDE / 2, top + 25 + SIDE, said, SIZE - 1, 'text-anchor="middle"'))
            if place:
                sign = ("×", "=")[place - 1]
                parts.append(text(start - SIGN / 2, top + 16 + SIDE / 2, sign, SIZE + 1, 'text-anchor="middle"'))
    return parts


def picture(blocks: dict[str, Block], word: Words, look: Look) -> str:
    """Both methods beside each other, or one below the other on a narrow screen."""
    narrow = look.form is NARROW
    high = 42 + 3 * ROW + 26
    parts: list[str] = []
    for number, method in enumerate(DRAWN):
        x, y = (2, number * high) if narrow else (2 + number * (PANEL + 28), 0)
        parts += panel(blocks[method], word(f"split: {method}"), word, x, y)
    top = high * 2 if narrow else high
    meanings = {"split: rank 0": BLUE, "split: gathered": SKY, "split: sum": ORANGE}
    parts += key([(word(name), fill, 1.0) for name, fill in meanings.items()], 2, top, 1 if narrow else 3, 230, SIZE)
    width, below = (PANEL + 12, 58) if narrow else (2 * PANEL + 50, 20)
    return document(parts, width, top + below, word("layer splits"), look)


def grid(word: Words, look: Look) -> str:
    """Eight ranks as a grid of four groups (D) of two (T), and the tiles of x, w1 and h that each of them has."""
    narrow = look.form is NARROW
    wide, high, size, sign, top = (29, 24, 10, 15, 44) if narrow else (62, 30, 13, 28, 46)
    parts: list[str] = []
    x = 34.0
    for place, (title, columns) in enumerate(GRID.items()):
        width = 2 * wide
        parts.append(text(x + width / 2, 18, word("rank grid: ranks") if not place else title, size,
                          'text-anchor="middle" font-weight="bold"'))
        if columns == 2:
            parts += [text(x + (column + 0.5) * wide, top - 8, f"T={column}", size - 1, 'text-anchor="middle"')
                      for column in range(2)]
        for row in range(4):
            if not place:
                parts.append(text(2, top + row * high + high * 0.64, f"D={row}", size - 1))
            for column in range(columns):
                ranks = [2 * row + column] if columns == 2 else [2 * row, 2 * row + 1]
                gathered = title == "w1[i_D, f_T]" and column == 0
                fill = NOTHING if not place else BLUE if 0 in ranks else SKY if gathered else NOTHING
                parts.append(cell(x + column * width / columns, top + row * high, width / columns, high,
                                  ", ".join(map(str, ranks)), size - 1, fill))
        if place:
            parts.append(text(x - sign / 2, top + 2 * high + 4, ("", "·", "=")[place - 1], size + 3,
                              'text-anchor="middle"'))
        x += width + sign
    meanings = {"split: rank 0": BLUE, "split: gathered": SKY}
    top += 4 * high + 14
    parts += key([(word(name), fill, 1.0) for name, fill in meanings.items()], 2, top, 1 if narrow else 2, 260, size)
    return document(parts, x - sign + 2, top + (40 if narrow else 20), word("rank grid"), look)


def shares(found: dict[int, dict[int, Line]], title: str, word: Words, look: Look) -> str:
    """A line for each split over the tokens of a rank, full in one machine; of those in eight, dashed, one is named."""
    groups = []
    for ranks, lines in found.items():
        names = [word("ranks per product").format(tensor=tensor) for tensor in lines]
        if groups:
            any_split = word("any split").format(ranks=ranks)
            if look.form is NARROW:
                any_split = re.sub("([,，、]) ?", r"\1\n", any_split)
            names = [any_split, *(f"_{name}" for name in names[1:])]
        groups.append((STYLES[ranks], dict(zip(names, lines.values(), strict=True))))
    return share_lines(groups, range(6, 13, 1 if look.form is WIDE else 2), title, word, look)
