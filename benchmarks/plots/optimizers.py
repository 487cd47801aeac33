"""The losses of one small model under several optimizers, as a snippet printed them  ->  a plot of the curves."""

import re

from matplotlib.axes import Axes

from benchmarks.plots.draw import COLOURS, NARROW, Look, Words, figure
from benchmarks.plots.evidence import TableError

SNIPPET = "train_one/optimizer_losses.py"
TITLE = re.compile(r"A Llama .* (?P<steps>\d+) steps")
CURVE = re.compile(r"^(?P<name>.+): learning rate .*\n  training: (?P<losses>[\d. ]+)$", re.MULTILINE)


def read(output: str) -> tuple[list[float], dict[str, list[float]]]:
    """The steps, and for each optimizer the loss up to each, the highest last loss first. Raises TableError."""
    title, found = TITLE.match(output), {each["name"]: [*map(float, each["losses"].split())]
                                        for each in CURVE.finditer(output)}
    if title is None or len(found) < 2:
        raise TableError(f"{output[:40]!r} begins no losses of optimizers; run {SNIPPET} again")
    parts = len(next(iter(found.values())))
    steps = [int(title["steps"]) * (part + 1) / parts for part in range(parts)]
    return steps, dict(sorted(found.items(), key=lambda each: -each[1][-1]))


def picture(found: tuple[list[float], dict[str, list[float]]], title: str, word: Words, look: Look) -> str:
    """A line for each optimizer over the steps, named in the order in which they end."""
    steps, curves = found

    def plot(axes: Axes) -> None:
        for number, (name, losses) in enumerate(curves.items()):
            colour, style = COLOURS[number % len(COLOURS)], ("-", "--")[number // len(COLOURS)]
            axes.plot(steps, losses, color=colour, linestyle=style, label=word(name))
        axes.set_xlabel(word("steps"))
        axes.set_xlim(0, steps[-1])
        axes.legend(ncols=1 if look.form is NARROW else 2, loc="upper right", frameon=False)

    return figure(plot, title, look, left=0.6 / look.form.size[0])
