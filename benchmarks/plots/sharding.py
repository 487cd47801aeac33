"""What FSDP does with each layer, as `train_many/fsdp_order.py` printed it  ->  a picture over time."""

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, GREEN, ORANGE, PINK, box, cell, document, key, text

SNIPPET = "train_many/fsdp_order.py"
FILLS = {"gather": ("G", GREEN), "forward": ("F", BLUE), "backward": ("B", ORANGE), "scatter": ("S", PINK)}
REST = "rest"
SHADE = ("#888888", 0.35)


def read(output: str) -> list[tuple[str, str]]:
    """The events in their order: what happens, and to which unit. Raises TableError."""
    events = []
    for line in output.splitlines():
        action, _, unit = line.partition(" ")
        if action not in {*FILLS, "free"} or not unit:
            raise TableError(f"{line!r} is no event; run {SNIPPET} again")
        events.append((action, unit))
    return events


def held(events: list[tuple[str, str]]) -> list[tuple[str, int, int]]:
    """From which slot to which each unit is whole: after its gather, until it is freed, which takes no slot."""
    found, since, slot = [], {}, 0
    for action, unit in events:
        if action == "free":
            found.append((unit, since.pop(unit), slot))
            continue
        if action == "gather":
            since[unit] = slot
        slot += 1
    return found


def picture(events: list[tuple[str, str]], word: Words, look: Look) -> str:
    """A row for each unit, a slot for each event, and a shade while a unit is whole."""
    narrow = look.form is NARROW
    size, width, height, label = (10, 12.4, 24, 58) if narrow else (13, 25, 28, 88)
    units = [*sorted({unit for _, unit in events} - {REST}), REST]
    slots = [event for event in events if event[0] != "free"]
    rows = {unit: 50 + number * height for number, unit in enumerate(units)}
    parts = [text(2, 14, word("sharding"), size + 1)]
    start = next(number for number, (action, _) in enumerate(slots) if action == "backward") - 1
    for at, said in ((0, "phase: forward"), (start, "phase: backward")):
        parts.append(text(label + at * width + 3, 40, word(said), size))
        parts.append(box(label + at * width, 30, 1, height * len(units) + 22, *SHADE))
    for unit, y in rows.items():
        number = unit.rpartition(" ")[2]
        said = word("rest") if unit == REST else word("layer").format(number=number)
        parts.append(text(2, y + height * 0.64, said, size))
    parts += [
        box(label + begin * width, rows[unit] + 4, (end - begin) * width, height - 8, *SHADE)
        for unit, begin, end in held(events)
    ]
    for slot, (action, unit) in enumerate(slots):
        letter, colour = FILLS[action]
        parts.append(cell(label + slot * width, rows[unit], width, height, letter, size - 1, colour))
    top = 50 + height * len(units) + 10
    entries = [(word(f"sharding: {action}"), colour, 1.0) for action, (_, colour) in FILLS.items()]
    entries.append((word("sharding: whole"), *SHADE))
    columns = 1 if narrow else 2
    parts += key(entries, 2, top, columns, 340, size)
    lines = -(-len(entries) // columns)
    return document(parts, label + len(slots) * width + 4, top + lines * 18 + 4, word("sharding"), look)
