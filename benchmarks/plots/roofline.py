"""Products, tokens, the efficiency of many ranks, as the programs of `roofline` printed them  ->  plots of the law."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from benchmarks.plots.draw import COLOURS, INK, NARROW, WIDE, Look, Words, figure
from benchmarks.plots.evidence import TableError

PRODUCTS, DECODING, SCALING = "roofline/products.py", "roofline/decoding.py", "roofline/communication.py"
TIMES = "roofline/communication_exercises.py"
METHODS = {"DDP": "-", "FSDP": "--"}
COLLECTIVES = {"all-reduce": "-", "all-gather": "--"}
MEASURED = "nccl-tests"
RING = re.compile(r"^  (?P<name>[\w-]+) of (?P<ranks>\d+) ranks on (?P<link>\w+): (?P<points>.*)$", re.MULTILINE)
SHARES = re.compile(r"^  (?P<method>\w+) over (?P<link>\w+): (?P<points>.*)$", re.MULTILINE)
SHAPE = re.compile(r"(?P<inner>[\d,]+) x (?P<columns>[\d,]+) weights of (?P<size>\d+) bytes")
ROW = re.compile(r" +(?P<rows>\d+) rows: +(?P<measured>[\d.]+) ms measured, +(?P<law>[\d.]+) ms by the law")
TOKEN = re.compile(
    r" +batch of +(?P<batch>\d+), (?P<how>from Python|as a graph) *: +(?P<measured>[\d.]+) ms measured,"
    r" +(?P<law>[\d.]+) ms by the law"
)


Line = list[tuple[float, float]]  # tokens of a rank, percents


class Product(NamedTuple):
    """A product's rows, its operations per byte, and its tera-operations per second, measured and by the law."""

    rows: int
    intensity: float
    measured: float
    law: float


class Tokens(NamedTuple):
    """The batches, and the milliseconds of a token: by the law, as a CUDA graph, from Python."""

    batches: list[int]
    law: list[float]
    graph: list[float]
    python: list[float]


def read_products(output: str) -> list[Product]:
    """The rates of each line. Raises TableError."""
    shape, found = SHAPE.match(output), list(ROW.finditer(output))
    if shape is None or len(found) < 2:
        raise TableError(f"{output[:40]!r} begins no products; run {PRODUCTS} again")
    inner, columns, size = (int(number.replace(",", "")) for number in shape.groups())
    return [product(int(line["rows"]), inner, columns, size, float(line["measured"]), float(line["law"]))
            for line in found]


def product(rows: int, inner: int, columns: int, size: int, measured: float, law: float) -> Product:
    """The rates of one product, whose two times are in milliseconds."""
    operations = 2 * rows * inner * columns
    moved = size * (inner * columns + rows * (inner + columns))
    return Product(rows, operations / moved, operations / measured / 1e9, operations / law / 1e9)


def read_tokens(output: str) -> Tokens:
    """The times of each batch. Raises TableError."""
    found = list(TOKEN.finditer(output))
    times = {(int(line["batch"]), line["how"]): float(line["measured"]) for line in found}
    law = {int(line["batch"]): float(line["law"]) for line in found}
    if not law or len(times) != 2 * len(law):
        raise TableError(f"{output[:40]!r} begins no tokens of a GPU; run {DECODING} there again")
    graph, python = ([times[batch, how] for batch in law] for how in ("as a graph", "from Python"))
    return Tokens(list(law), list(law.values()), graph, python)


def read_scaling(output: str) -> dict[str, dict[str, Line]]:
    """For each method the line of each link. Raises TableError."""
    found: dict[str, dict[str, Line]] = {}
    for line in SHARES.finditer(output):
        found.setdefault(line["method"], {})[line["link"]] = pairs(line["points"])
    if found.keys() != METHODS.keys():
        raise TableError(f"{output[:40]!r} begins no efficiency of DDP and FSDP; run {SCALING} again")
    return found


def pairs(points: str) -> Line:
    """The points of a line, as the programs print them: two numbers each, with commas between."""
    return [(float(first), float(second)) for first, second in (pair.split() for pair in points.split(", "))]


def read_collectives(output: str) -> dict[tuple[int, str], dict[str, Line]]:
    """For each ring, by ranks and link, the MB and milliseconds of each collective, half of the rate first; of one also
    those that were measured. Raises TableError.
    """
    found: dict[tuple[int, str], dict[str, Line]] = {}
    for line in RING.finditer(output):
        found.setdefault((int(line["ranks"]), line["link"]), {})[line["name"]] = pairs(line["points"])
    if not found or any(lines.keys() - {MEASURED} != COLLECTIVES.keys() for lines in found.values()):
        raise TableError(f"{output[:40]!r} begins no times of collectives; run {TIMES} again")
    return found


def roofline(products: list[Product], title: str, word: Words, look: Look) -> str:
    """The law's two lines, which meet at the ridge, and a dot for each measured product, with its rows."""
    first, last = products[0], products[-1]
    peak, slope = last.law, first.law / first.intensity
    ends = first.intensity / 1.5, last.intensity * 1.5

    def plot(axes: Axes) -> None:
        ink = INK[look.scheme]
        corners = [ends[0], peak / slope, ends[1]]
        axes.plot(corners, [slope * ends[0], peak, peak], color=ink, linewidth=1.5, label=word("the law"))
        axes.plot([each.intensity for each in products], [each.measured for each in products], color=COLOURS[1],
                  marker="o", linestyle="none", label=word("measured"))
        axes.vlines(peak / slope, peak / 5, peak * 2.5, color=ink, linestyle="--", linewidth=0.8)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(first.measured / 2, peak * 2.5)
        axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
        axes.set_yticks([10, 100, 1000], ["10", "100", "1,000"])
        axes.minorticks_off()
        for number, each in enumerate(products):
            below = -26 if look.form is NARROW and number % 2 else -15
            place = (8, -11) if each.intensity < peak / slope else (-6, below)
            axes.annotate(f"{each.rows:,}", (each.intensity, each.measured), place, textcoords="offset points")
        for side, x, align in (("bound by memory", corners[1] / 1.08, "right"),
                               ("bound by compute", corners[1] * 1.08, "left")):
            axes.annotate(word(side), (x, peak * 1.5), ha=align)
        axes.set_xlabel(word("operations per byte"))
        axes.legend(loc="lower right", frameon=False)

    return figure(plot, title, look, left=0.6 / look.form.size[0])


def tokens(found: Tokens, title: str, word: Words, look: Look) -> str:
    """Three lines over the batch: a token from Python, as a CUDA graph, and by the law."""

    def plot(axes: Axes) -> None:
        lines = {"from Python": found.python, "as a CUDA graph": found.graph, "the law": found.law}
        for (name, times), colour, marker in zip(lines.items(), (*COLOURS[:2], INK[look.scheme]), "so ", strict=True):
            axes.plot(found.batches, times, color=colour, marker=marker.strip() or None, label=word(name))
        axes.set_xscale("log", base=2)
        axes.set_xticks(found.batches, [str(batch) for batch in found.batches])
        axes.set_ylim(0, 1.3 * max(found.python))
        axes.set_xlabel(word("rows a batch"))
        axes.legend(ncols=3 if look.form is WIDE else 1, loc="upper right", frameon=False)

    return figure(plot, title, look, left=0.6 / look.form.size[0])


def scaling(found: dict[str, dict[str, Line]], title: str, word: Words, look: Look) -> str:
    """A line for each link over the tokens of a rank, full for DDP and dashed for FSDP."""
    groups = [(style, {"_" * number + word(f"link {link}"): points for link, points in found[method].items()})
              for number, (method, style) in enumerate(METHODS.items())]
    return share_lines(groups, range(9, 16, 1 if look.form is WIDE else 2), title, word, look)


def collectives(found: dict[tuple[int, str], dict[str, Line]], title: str, word: Words, look: Look) -> str:
    """Milliseconds over the size: a colour for each ring, a style for each collective, a dot at half of the rate, a
    cross for each measurement."""

    def plot(axes: Axes) -> None:
        for colour, ((ranks, link), lines) in zip(COLOURS, found.items(), strict=False):
            label = word("ring of ranks").format(ranks=ranks, link=word(f"link {link}"))
            for name, style in COLLECTIVES.items():
                half, *points = lines[name]
                axes.plot(*zip(*sorted([half, *points]), strict=True), color=colour, linestyle=style, label=label)
                axes.plot(*half, color=colour, marker="o", linestyle="none")
                label = None
            if MEASURED in lines:
                axes.plot(*zip(*lines[MEASURED], strict=True), color=COLOURS[2], marker="x", linestyle="none",
                          label=word(MEASURED))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks([0.01, 0.1, 1, 10, 100, 1000], ["10 kB", "100 kB", "1 MB", "10 MB", "100 MB", "1 GB"])
        axes.set_yticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
        axes.minorticks_off()
        axes.set_xlabel(word("whole tensor"))
        axes.legend(loc="upper left", frameon=False)

    return figure(plot, title, look, left=0.6 / look.form.size[0])


def share_lines(
    groups: Sequence[tuple[str, Mapping[str, Line]]], powers: range, title: str, word: Words, look: Look
) -> str:
    """Percents over the tokens of a rank: a style for each group, a colour for each name that begins with no _."""

    def plot(axes: Axes) -> None:
        for style, lines in groups:
            for colour, (name, points) in zip(COLOURS, lines.items(), strict=False):
                axes.plot(*zip(*points, strict=True), color=colour, linestyle=style, label=name)
        sizes = [2**power for power in powers]
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
        axes.minorticks_off()
        axes.set_ylim(0, 108)
        axes.set_xlabel(word("tokens per rank"))
        axes.legend(ncols=1, loc="lower right", frameon=False)

    return figure(plot, title, look, left=0.6 / look.form.size[0])
