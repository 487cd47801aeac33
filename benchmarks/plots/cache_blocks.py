"""The keys and values of three requests in memory: reserved, in blocks, and in blocks with a shared beginning."""

from typing import NamedTuple

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.svg import BLUE, GREEN, NOTHING, ORANGE, SKY, box, document, key, text

REQUESTS = ((12, 5), (10, 9), (13, 3))  # tokens of each prompt and answer
SHARED, BLOCK, LONGEST = 8, 4, 24  # tokens that the prompts begin with, of a block, at most of a request
COLOURS = (BLUE, ORANGE, GREEN)
COLUMNS = LONGEST // BLOCK


class Block(NamedTuple):
    """A block of the cache: whose it is, how many tokens are in it, whether others use it too."""

    request: int
    tokens: int
    shared: bool = False


def reserved() -> list[Block]:
    """Each request has blocks for the longest answer."""
    return [
        Block(request, max(0, min(BLOCK, prompt + answer - place * BLOCK)))
        for request, (prompt, answer) in enumerate(REQUESTS)
        for place in range(COLUMNS)
    ]


def paged(shared: int = 0) -> list[Block]:
    """A request takes the next free block when its last one is full: prompts first, then a token of each in turn."""
    blocks = [Block(0, BLOCK, shared=True) for _ in range(shared // BLOCK)]
    last: dict[int, int] = {}

    def add(request: int) -> None:
        place = last.get(request)
        if place is None or blocks[place].tokens == BLOCK:
            last[request] = len(blocks)
            blocks.append(Block(request, 1))
        else:
            blocks[place] = blocks[place]._replace(tokens=blocks[place].tokens + 1)

    for request, (prompt, _) in enumerate(REQUESTS):
        for _ in range(prompt - shared):
            add(request)
    for token in range(max(answer for _, answer in REQUESTS)):
        for request, (_, answer) in enumerate(REQUESTS):
            if token < answer:
                add(request)
    return blocks


def memory(blocks: list[Block], x: float, y: float, side: float, gap: float) -> list[str]:
    """The blocks of the memory in rows: a cell for each token, faint where none is yet, an outline where it is free."""
    parts = []
    for number in range(len(reserved())):
        left, top = x + number % COLUMNS * (BLOCK * side + gap), y + number // COLUMNS * (2 * side + gap)
        if number >= len(blocks):
            parts.append(box(left, top, BLOCK * side, 2 * side, NOTHING))
            continue
        block = blocks[number]
        fill = SKY if block.shared else COLOURS[block.request]
        parts += [
            box(left + place * side + 0.5, top, side - 1, 2 * side, fill, 1 if place < block.tokens else 0.25)
            for place in range(BLOCK)
        ]
    return parts


def picture(word: Words, look: Look) -> str:
    """The three ways beside each other, or one below the other on a narrow screen."""
    narrow = look.form is NARROW
    side, gap, size = (11, 6, 11) if narrow else (7.5, 5, 12)
    across, high = COLUMNS * (BLOCK * side + gap), 3 * (2 * side + gap) + 46
    parts: list[str] = []
    ways = {"reserved": reserved(), "paged": paged(), "shared": paged(SHARED)}
    for number, (name, blocks) in enumerate(ways.items()):
        x, y = (2, number * high) if narrow else (2 + number * (across + 20), 0)
        parts.append(text(x, y + size + 2, word(f"blocks: {name}"), size + 1, 'font-weight="bold"'))
        parts.append(text(x, y + 2 * size + 7, word("blocks: count").format(blocks=len(blocks)), size))
        parts += memory(blocks, x, y + 2 * size + 15, side, gap)
    top = 3 * high if narrow else high + 4
    entries = [(word("blocks: request").format(number=number), fill, 1.0) for number, fill in enumerate(COLOURS, 1)]
    entries += [(word("blocks: common"), SKY, 1.0), (word("blocks: unused"), BLUE, 0.25),
                (word("blocks: free"), NOTHING, 1.0)]
    columns, width = (2, across + 8) if narrow else (3, 3 * across + 44)
    parts += key(entries, 2, top, columns, (width - 4) / columns, size)
    return document(parts, width, top + (56 if narrow else 38), word("cache blocks"), look)
