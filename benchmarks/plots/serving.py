"""Tokens per second, and a token's time by its parts, as `roofline/serving_exercises.py` printed them  ->  plots."""

import re

from matplotlib.axes import Axes

from benchmarks.plots.draw import COLOURS, HELD, INK, NARROW, Look, Words, figure
from benchmarks.plots.evidence import TableError

SNIPPET = "roofline/serving_exercises.py"
CURVE = re.compile(r"^  (?P<name>[^:\n]+): (?P<points>\d+ [\d.]+ \d+(?:, \d+ [\d.]+ \d+)*)$", re.MULTILINE)
PARTS = re.compile(r"^  parts: (?P<points>.+)$", re.MULTILINE)
COLOUR = {"weights": HELD["weights"], "cache": HELD["cache"], "prompts": COLOURS[1]}
LIMIT, DOTS = 50, (1, 8, 32, 58)  # milliseconds, and the batches with a dot

Point = tuple[int, float, float]  # requests, milliseconds of a token, tokens per second


def read(output: str) -> dict[str, list[Point]]:
    """The points of each curve, the last of which fills the memory. Raises TableError."""
    found = {line["name"]: [(int(batch), float(ms), float(rate)) for batch, ms, rate in
                            (point.split() for point in line["points"].split(", "))]
             for line in CURVE.finditer(output)}
    if not found:
        raise TableError(f"{output[:40]!r} begins no curves; run {SNIPPET} again")
    return found


def read_parts(output: str) -> list[list[float]]:
    """Requests, and milliseconds of each part of a token's time. Raises TableError."""
    if not (found := PARTS.search(output)):
        raise TableError(f"{output[:40]!r} begins no parts of a token; run {SNIPPET} again")
    return [[float(each) for each in point.split()] for point in found["points"].split(", ")]


def token_time(points: list[list[float]], title: str, word: Words, look: Look) -> str:
    """The parts of a token's time over the requests, stacked, and a line at the limit."""

    def plot(axes: Axes) -> None:
        requests, *parts = zip(*points, strict=True)
        axes.stackplot(requests, *parts, labels=map(word, COLOUR), colors=COLOUR.values(), linewidth=0)
        axes.axhline(LIMIT, color=INK[look.scheme], linestyle=":", linewidth=1)
        axes.set_xlim(1, requests[-1])
        axes.set_ylim(0, LIMIT * 1.06)
        axes.set_xticks([1, *range(10, int(requests[-1]), 10), requests[-1]])
        axes.set_xlabel(word("requests at once"))
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(0, 0.93), frameon=False)

    return figure(plot, title, look, left=0.5 / look.form.size[0])


def picture(curves: dict[str, list[Point]], title: str, word: Words, look: Look) -> str:
    """A curve for each format, with a dot at some batches and a number at the last; dashed with the prompts."""

    def plot(axes: Axes) -> None:
        ink = INK[look.scheme]
        for colour, (name, points) in zip((*COLOURS[:4], COLOURS[0]), curves.items(), strict=True):
            style = "--" if "prompts" in name else "-"
            axes.plot(*zip(*(point[1:] for point in points), strict=True), color=colour, linestyle=style,
                      label=word(name))
            dots = [point for point in points if point[0] in DOTS or point is points[-1]]
            axes.plot(*zip(*(point[1:] for point in dots), strict=True), color=colour, marker="o", linestyle="none")
            for batch, *point in dots if name == "bf16" else dots[-1:]:
                offset = (5, 3) if point[0] < LIMIT / 2 else (-16, 6)
                axes.annotate(str(batch), point, offset, textcoords="offset points")
        axes.axvline(LIMIT, color=ink, linestyle=":", linewidth=1)
        axes.set_xlim(0, LIMIT * 1.06)
        axes.set_ylim(0, 6500 if look.form is not NARROW else 10_500)
        axes.set_xticks(range(0, LIMIT + 1, 10))
        axes.set_yticks(range(0, 7000, 1000 if look.form is not NARROW else 2000))
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel(word("ms per token"))
        place, beside = ("center right", (0.93, 0.6)) if look.form is not NARROW else ("upper right", (0.94, 1))
        axes.legend(loc=place, bbox_to_anchor=beside, frameon=False)

    return figure(plot, title, look, left=0.75 / look.form.size[0])
