"""Pipeline schedules: when each rank runs which pass, and their picture as SVG, the same bytes every time."""

from typing import NamedTuple

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.svg import BLUE, NOTHING, ORANGE, cell, document, text

RANKS = MICROBATCHES = 4
WAITING = ""
FILLS = {"F": BLUE, "B": ORANGE, WAITING: NOTHING}


class Cells(NamedTuple):
    """The sizes in pixels of a picture's parts, for a wide and for a narrow screen."""

    label: int
    width: int
    height: int
    font: int


ON_WIDE, ON_NARROW = Cells(76, 43, 30, 13), Cells(44, 22, 26, 10)


def order(schedule: str, rank: int) -> list[str]:
    """The passes of a rank, in the order in which it runs them: F1 is the forward pass of the first microbatch."""
    ahead = MICROBATCHES if schedule == "GPipe" else min(MICROBATCHES, RANKS - rank)
    forward = [f"F{number}" for number in range(1, MICROBATCHES + 1)]
    backward = [f"B{number}" for number in range(1, MICROBATCHES + 1)]
    passes = forward[:ahead]
    for number, each in enumerate(backward):
        passes += [each, *forward[ahead + number : ahead + number + 1]]
    return passes


def timeline(schedule: str) -> list[list[str]]:
    """What each rank runs in each slot, "" while it waits. A pass takes one slot, and what it needs is done before."""
    left = [order(schedule, rank) for rank in range(RANKS)]
    done: set[tuple[int, str]] = set()
    slots: list[list[str]] = [[] for _ in left]
    while any(left):
        now = [
            passes[0] if passes and (needed(rank, passes[0]) is None or needed(rank, passes[0]) in done) else WAITING
            for rank, passes in enumerate(left)
        ]
        for rank, each in enumerate(now):
            slots[rank].append(each)
            if each:
                left[rank].pop(0)
                done.add((rank, each))
    return slots


def needed(rank: int, each: str) -> tuple[int, str] | None:
    """The pass of another rank, or of the last rank itself, that a pass has to wait for; None for none."""
    if each[0] == "F":
        return (rank - 1, each) if rank else None
    return (rank + 1, each) if rank < RANKS - 1 else (rank, each.replace("B", "F"))


def picture(word: Words, look: Look) -> str:
    """Both schedules as one SVG, one below the other."""
    cells = ON_NARROW if look.form is NARROW else ON_WIDE
    parts: list[str] = []
    top = 0
    for schedule in ("GPipe", "1F1B"):
        rows = timeline(schedule)
        parts.append(text(2, top + cells.height * 0.65, schedule, cells.font + 1, 'font-weight="bold"'))
        for rank, slots in enumerate(rows):
            y = top + cells.height * (rank + 1)
            parts.append(text(2, y + cells.height * 0.6, word("rank").format(number=rank), cells.font))
            parts += [
                cell(cells.label + slot * cells.width, y, cells.width, cells.height, each, cells.font, FILLS[each[:1]])
                for slot, each in enumerate(slots)
            ]
        top += cells.height * (RANKS + 1) + 12
    key = text(2, top + cells.height * 0.5, word("schedule key"), cells.font)
    width, height = cells.label + cells.width * len(timeline("GPipe")[0]) + 2, top + cells.height
    return document([*parts, key], width, height, word("schedule"), look)
