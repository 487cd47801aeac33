"""What FSDP does with each layer, as `train_many/fsdp_order.py` printed it  ->  a picture over time."""

from typing import NamedTuple

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, GREEN, ORANGE, PINK, box, cell, document, key, text

SNIPPET = "train_many/fsdp_order.py"
FILLS = {"gather": ("G", GREEN), "forward": ("F", BLUE), "backward": ("B", ORANGE), "scatter": ("S", PINK)}
LASTS = {"gather": 1, "forward": 1, "backward": 2, "scatter": 1}  # slots: a backward pass computes twice as much
SENDS = ("gather", "scatter")
REST = "rest"
SHADE = ("#888888", 0.35)

Events = list[tuple[str, str]]  # what happens, and to which unit


class Slot(NamedTuple):
    """An event with the time from its begin to its end."""

    action: str
    unit: str
    begin: int
    end: int


def read(output: str) -> Events:
    """The events in their order. Raises TableError."""
    events = []
    for line in output.splitlines():
        action, _, unit = line.partition(" ")
        if action not in {*FILLS, "free"} or not unit:
            raise TableError(f"{line!r} is no event; run {SNIPPET} again")
        events.append((action, unit))
    return events


def schedule(events: Events) -> list[Slot]:
    """When a GPU does each of them: it computes and sends side by side, both in the order of the program.

    A pass of a unit waits until the unit is gathered, and a scatter for its gradients. A gather starts as soon as the
    pass before it in the program has started. Freeing takes no time: it begins and ends with the pass before it.
    """
    slots: list[Slot] = []
    computes, sends, started = 0, 0, 0
    ready: dict[str, int] = {}
    for action, unit in events:
        if action == "free":
            slots.append(Slot(action, unit, computes, computes))
        elif action in SENDS:
            begin = max(sends, started if action == "gather" else ready[unit])
            sends = begin + LASTS[action]
            slots.append(Slot(action, unit, begin, sends))
            ready[unit] = sends
        else:
            started = max(computes, ready[unit])
            computes = started + LASTS[action]
            slots.append(Slot(action, unit, started, computes))
            ready[unit] = computes
    return slots


def held(slots: list[Slot]) -> list[tuple[str, int, int]]:
    """From when to when each unit is whole: from its gather on, until it is freed."""
    found, since = [], {}
    for slot in slots:
        if slot.action == "gather":
            since[slot.unit] = slot.begin
        elif slot.action == "free":
            found.append((slot.unit, since.pop(slot.unit), slot.end))
    return found


def picture(events: Events, word: Words, look: Look) -> str:
    """A lane for what is computed and one for what is sent, and below them when each unit is whole."""
    narrow = look.form is NARROW
    size, width, height, label = (11, 14.4, 24, 58) if narrow else (13, 32, 28, 88)
    units = [*sorted({unit for _, unit in events} - {REST}), REST]
    slots = schedule(events)
    names = {unit: word("rest") if unit == REST else word("layer").format(number=unit.split()[-1]) for unit in units}
    rows = {unit: 50 + number * height for number, unit in enumerate(("computes", "sends", *units))}
    parts = [text(2, 14, word("sharding"), size + 1)]
    turn = next(slot for slot in slots if slot.action == "backward").begin
    for at, said in ((0, "phase: forward"), (turn, "phase: backward")):
        parts.append(text(label + at * width + 3, 40, word(said), size))
        parts.append(box(label + at * width, 30, 1, height * len(rows) + 22, *SHADE))
    parts += [text(2, y + height * 0.64, names.get(row) or word(row), size) for row, y in rows.items()]
    parts += [box(label + begin * width, rows[unit] + 4, (end - begin) * width, height - 8, *SHADE)
              for unit, begin, end in held(slots)]
    for action, unit, begin, end in slots:
        if action in FILLS:
            letter, colour = FILLS[action]
            lane, number = rows["sends" if action in SENDS else "computes"], "" if unit == REST else unit.split()[-1]
            parts.append(cell(label + begin * width, lane, (end - begin) * width, height,
                              letter + number, size - 1, colour))
    top = 50 + height * len(rows) + 10
    entries = [(word(f"sharding: {action}"), colour, 1.0) for action, (_, colour) in FILLS.items()]
    entries.append((word("sharding: whole"), *SHADE))
    columns = 1 if narrow else 2
    parts += key(entries, 2, top, columns, 340, size)
    lines = -(-len(entries) // columns)
    last = max(slot.end for slot in slots)
    return document(parts, label + last * width + 4, top + lines * 18 + 4, word("sharding"), look)
