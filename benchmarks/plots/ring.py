"""A ring all-reduce in rounds: which sums each rank has of each part, and what it has just received."""

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.svg import BLUE, NOTHING, ORANGE, SKY, cell, document, key, text

RANKS = 4
SIZE, GAP, LEFT, FONT = 22, 16, 58, 12  # pixels of a cell, between two rounds, of the ranks' names, of a letter

State = list[list[int]]  # for each rank and part, from how many ranks it is the sum


def rounds() -> list[tuple[State, set[tuple[int, int]]]]:
    """The start and each round: the sums, and the rank and part of what was received in it.

    In each round, every rank sends one part to the next rank, which first adds it and later replaces its own by it.
    """
    sums = [[1] * RANKS for _ in range(RANKS)]
    found: list[tuple[State, set[tuple[int, int]]]] = [([*map(list, sums)], set())]
    for number in range(2 * (RANKS - 1)):
        adds = number < RANKS - 1
        sent = {rank: (rank - number) % RANKS for rank in range(RANKS)}
        before = [*map(list, sums)]
        received = set()
        for rank, part in sent.items():
            to = (rank + 1) % RANKS
            sums[to][part] = before[rank][part] + (before[to][part] if adds else 0)
            received.add((to, part))
        found.append(([*map(list, sums)], received))
    return found


def picture(word: Words, look: Look) -> str:
    """A square for each round: ranks from above, parts from the left; in each cell the number of ranks in its sum."""
    found = rounds()
    columns = 4 if look.form is NARROW else len(found)
    side = SIZE if look.form is not NARROW else 17
    across = RANKS * side + GAP
    parts: list[str] = []
    left = LEFT if look.form is not NARROW else 48
    for number, (sums, received) in enumerate(found):
        x, y = left + number % columns * across, number // columns * (RANKS * side + 44)
        kind = "at first" if not number else "adds" if number < RANKS else "copies"
        parts.append(text(x, y + FONT, word(kind).format(number=number), FONT - (look.form is NARROW)))
        for rank, row in enumerate(sums):
            if number % columns == 0:
                named = word("rank").format(number=rank)
                parts.append(text(2, y + 20 + rank * side + side * 0.68, named, FONT - (look.form is NARROW)))
            for part, count in enumerate(row):
                fill = ORANGE if (rank, part) in received else BLUE if count == RANKS else SKY if count > 1 else NOTHING
                parts.append(cell(x + part * side, y + 20 + rank * side, side, side, str(count), FONT, fill))
    height = ((len(found) - 1) // columns + 1) * (RANKS * side + 44) - 10
    entries = [(word(said), fill, 1.0) for said, fill in
               (("received", ORANGE), ("summed over some", SKY), ("summed over all", BLUE))]
    width = left + columns * across - GAP + 4
    per = 1 if look.form is NARROW else 3
    parts += key(entries, 2, height, per, width / per, FONT)
    return document(parts, width, height + 20 * (3 // per), word("ring"), look)
