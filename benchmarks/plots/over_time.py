"""What a training step holds over time, as `memory/over_time.py` printed it  ->  pictures, one panel a step."""

from itertools import groupby

from matplotlib.axes import Axes

from benchmarks.plots.draw import COLOURS, HELD, Look, Words, areas, figure
from benchmarks.plots.evidence import Table, TableError, row

SNIPPET = "memory/over_time.py"
COLOUR = {**HELD, "recomputed": COLOURS[4]}
PHASES = {"f": "phase: forward", "b": "phase: backward", "o": "phase: optimizer"}
PAIRS = {  # a picture: the two steps that it compares, and what it shows of them
    "checkpointing-over-time": (("One batch", "Checkpointing"), ("activations", "recomputed")),
    "accumulation-over-time": (("One batch", "Four pieces"), ("gradients", "activations")),
}


def read(output: str) -> dict[str, Table]:
    """For each case its MB by kind at each moment; the columns are the phases' letters. Raises TableError."""
    tables: dict[str, Table] = {}
    lines = output.splitlines()[1:]
    for start in range(0, len(lines), 7):
        title, header, *rows = lines[start : start + 7]
        name, found, _ = title.partition(", peak ")
        first, *phases = header.split()
        if not found or first != "phase" or not set(phases) <= set(PHASES):
            raise TableError(f"{title!r} begins no case of {SNIPPET}; run it again")
        tables[name] = Table(name, tuple(phases), dict(row(line, len(phases)) for line in rows))
    return tables


def step(tables: dict[str, Table], title: str, word: Words, look: Look) -> str:
    """One step with all that it holds, its phases by name, and its peak."""

    def plot(axes: Axes) -> None:
        table, kinds = tables["One batch"], ("weights", "optimizer", "gradients", "activations")
        sums = totals(table, kinds)
        peak = max(sums)
        axes.set_ylim(0, 1.3 * peak)
        panel(axes, table, kinds, word, look, len(table.columns))
        said = word("peak").format(size=peak)
        axes.annotate(said, (sums.index(peak), peak), (6, 2), textcoords="offset points")
        axes.set_xlabel(word("time"))

    return figure(plot, title, look, left=0.6 / look.form.size[0])


def pair(tables: dict[str, Table], picture: str, word: Words, look: Look) -> str:
    """Two steps on the same axes, one below the other, with some of what they hold."""
    names, kinds = PAIRS[picture]

    def plot(axes: Axes) -> None:
        left, width = axes.get_position().x0, axes.get_position().width
        below = axes.figure.add_axes((left, 0.08, width, 0.35))
        axes.set_position((left, 0.53, width, 0.35))
        for each, name in ((axes, names[0]), (below, names[1])):
            each.set_title(word(name), loc="left", fontsize=look.form.font)
            each.set_ylim(0, 1.25 * max(totals(tables[names[0]], kinds)))
            panel(each, tables[name], kinds, word, look, max(len(tables[each].columns) for each in names))
        below.set_xlabel(word("time"))

    return figure(plot, word(picture), look, left=0.6 / look.form.size[0], stretch=1.15)


def totals(table: Table, kinds: tuple[str, ...]) -> list[float]:
    """The sum of these kinds at each moment."""
    return [sum(each) for each in zip(*(table.rows[kind] for kind in kinds), strict=True)]


def panel(axes: Axes, table: Table, kinds: tuple[str, ...], word: Words, look: Look, end: int) -> None:
    """These kinds stacked over time, and a line and a name where a phase, or a batch of several, begins."""
    axes.set_xticks([])
    axes.locator_params(axis="y", nbins=5)
    axes.set_xlim(0, end - 1)
    top = axes.get_ylim()[1] * 0.91
    several = len(phases(table)) > 3
    borders = [begin for letter, begin, _ in phases(table) if begin and not (several and letter == "b")]
    areas(axes, {kind: (table.rows[kind], COLOUR[kind]) for kind in kinds}, word, look, borders)
    for border in borders:
        axes.axvline(border, color="gray", linewidth=0.6)
    for number, (letter, begin, end) in enumerate(phases(table)):
        if letter == "o":  # The optimizer's step is too short for a name beside it.
            axes.text((begin + end) / 2, 1.04 * top, word(PHASES[letter]), rotation=90, ha="center", va="top",
                      fontsize=look.form.font - 1)  # fmt: skip
        elif not several:
            axes.text((begin + end) / 2, top, word(PHASES[letter]), ha="center")
        elif letter == "f":
            axes.text(begin + 1, top, word("batch").format(number=number // 2 + 1))


def phases(table: Table) -> list[tuple[str, int, int]]:
    """The phases in their order: the letter, and from which to which moment."""
    found, start = [], 0
    for letter, moments in groupby(table.columns):
        count = len(list(moments))
        found.append((letter, start, start + count - 1))
        start += count
    return found
