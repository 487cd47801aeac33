"""Requests in the slots of a batch: when each is read and answered by three schedulers, and their picture as SVG."""

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.schedule import ON_NARROW, ON_WIDE
from benchmarks.plots.svg import BLUE, NOTHING, ORANGE, cell, document, key, text

SLOTS, CHUNKS = 4, 2  # slots of the batch, and units of time that a prompt takes
ANSWERS = (3, 9, 5, 2, 6, 4, 7, 3)  # tokens of each request's answer, in the order in which they came
PROMPT, TOKEN, WAITING = "prompt", "token", ""
FILLS = {PROMPT: ORANGE, TOKEN: BLUE, WAITING: NOTHING}
SCHEDULERS = ("static batch", "continuous batching", "chunked prefill")

Cell = tuple[str, int]  # what a slot does in a unit of time, and for which request
NOBODY = (WAITING, -1)


def timeline(scheduler: str) -> list[list[Cell]]:
    """What each slot does in each unit. A prompt is read on its own, or with chunks beside the others' tokens."""
    waiting = list(range(len(ANSWERS)))
    slots: list[int | None] = [None] * SLOTS
    read, left = [0] * len(ANSWERS), list(ANSWERS)
    units: list[list[Cell]] = []
    while waiting or any(each is not None for each in slots):
        if scheduler != "static batch" or all(each is None for each in slots):
            slots = [waiting.pop(0) if each is None and waiting else each for each in slots]
        unread = [each for each in slots if each is not None and read[each] < CHUNKS]
        reading = min(unread, default=None)
        alone = reading is not None and scheduler != "chunked prefill"
        unit = []
        for number, each in enumerate(slots):
            if each is None or (each in unread and each != reading) or (alone and each != reading):
                unit.append(NOBODY)
            elif each == reading:
                read[each] += 1
                unit.append((PROMPT, each))
            else:
                left[each] -= 1
                unit.append((TOKEN, each))
                slots[number] = each if left[each] else None
        units.append(unit)
    return [list(slot) for slot in zip(*units, strict=True)]


def picture(word: Words, look: Look) -> str:
    """The schedulers one below the other, over the same time, each with the units that it takes."""
    narrow = look.form is NARROW
    cells = ON_NARROW if narrow else ON_WIDE
    rows = {scheduler: timeline(scheduler) for scheduler in SCHEDULERS}
    most = max(len(slots[0]) for slots in rows.values())
    width, height, size = (8.4, 15, 8) if narrow else (17, 22, 11)
    parts: list[str] = []
    top = 0.0
    for scheduler, slots in rows.items():
        said = word("units of time").format(name=word(scheduler), units=len(slots[0]))
        parts.append(text(2, top + 16, said, cells.font + 1, 'font-weight="bold"'))
        for number, slot in enumerate(slots):
            y = top + 24 + number * height
            parts.append(text(2, y + height * 0.7, word("slot").format(number=number + 1), cells.font))
            for unit, (what, request) in enumerate(slot):
                said = str(request + 1) if what else ""
                parts.append(cell(cells.label + unit * width, y, width, height, said, size, FILLS[what]))
        top += 24 + SLOTS * height + 12
    entries = [(word(f"slot: {name}"), FILLS[what], 1.0)
               for name, what in (("prompt", PROMPT), ("token", TOKEN), ("idle", WAITING))]
    parts += key(entries, 2, top, 1 if narrow else 3, 210, cells.font)
    below = 60 if narrow else 20
    return document(parts, cells.label + most * width + 2, top + below, word("batching"), look)
