"""Tables of numbers  ->  SVG, the same bytes for the same table: text stays text, in the reader's own fonts."""

import io
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.plots.evidence import Table

Words = Callable[[str], str]  # a word of the plot -> the same in the reader's language

# Okabe and Ito's colours, told apart by colour-blind readers (https://jfly.uni-koeln.de/color/), on white and on black.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9")
# What is held in memory has one colour on every plot and in the calculator, whose styles are docs/assets/guide.css.
KINDS = ("weights", "gradients", "optimizer", "activations", "cache", "workspace")
HELD = dict(zip(KINDS, (*COLOURS, "#888888"), strict=True))
INK_ON = {COLOURS[0]: "white"}  # black on the others
INK = {"light": "#222222", "dark": "#dddddd"}
# As in hexapla.css: one Han character has another shape in each language, and a picture knows no language.
LATIN = "system-ui, Roboto, 'Noto Sans'"
FONTS = {
    "en": f"{LATIN}, sans-serif",
    "zh": f"{LATIN}, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans SC', sans-serif",
    "zh-Hant": f"{LATIN}, 'PingFang TC', 'Microsoft JhengHei', 'Noto Sans CJK TC', 'Noto Sans TC', sans-serif",
    "ja": f"{LATIN}, 'Hiragino Sans', 'Yu Gothic', Meiryo, 'Noto Sans CJK JP', 'Noto Sans JP', sans-serif",
}


class Form(NamedTuple):
    """The form of a plot: inches, points, columns of the legend, the share of the width that long labels take."""

    size: tuple[float, float]
    font: float
    legend: int
    labels: float


WIDE, NARROW = Form((8.5, 4), 11, 4, 0.37), Form((3.75, 4.2), 9, 2, 0.47)


class Look(NamedTuple):
    """For whom a plot is drawn: the reader's language, light or dark, the width of the screen."""

    language: str
    scheme: str
    form: Form = WIDE


@contextmanager
def style(scheme: str, font: float) -> Iterator[None]:
    """matplotlib's settings for a scheme; its warnings of glyphs that only the reader has are kept quiet."""
    ink = INK[scheme]
    settings = {
        "svg.fonttype": "none", "svg.hashsalt": "hexapla", "font.size": font, "font.sans-serif": ["DejaVu Sans"],
        "text.color": ink, "axes.labelcolor": ink, "axes.edgecolor": ink, "xtick.color": ink, "ytick.color": ink,
        "axes.spines.top": False, "axes.spines.right": False,
    }  # fmt: skip
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def memory(table: Table, title: str, word: Words, look: Look, limit: float | None = None,
           decimals: int = 2) -> str:
    """A bar for each technique, stacked by kind, with its sum at the end, and a line at the limit."""

    def plot(axes: Axes) -> None:
        bars(axes, table, table.rows, word, look, limit, decimals)
        entries = len(table.columns) - 1 + (limit is not None)
        columns = look.form.legend if entries <= 4 else look.form.legend + 1
        center = 0.4 if entries <= 4 else 0.2 if look.form is WIDE else 0.1
        font = look.form.font - (look.form is NARROW and entries > 4)
        axes.legend(ncols=columns, loc="upper center", bbox_to_anchor=(center, -0.08), frameon=False,
                    columnspacing=1.2, handlelength=1.5, fontsize=font)

    return figure(plot, title, look, left=look.form.labels)


def bars(
    axes: Axes, table: Table, techniques: Iterable[str], word: Words, look: Look,
    limit: float | None = None, decimals: int = 2,
) -> None:
    """A stacked bar for each of these rows of the table, the first at the top, and a line at the limit."""
    rows = {word(name): table.rows[name] for name in techniques}
    names = list(rows)
    if look.form is NARROW:
        names = [re.sub("([,，、]) ?", r"\1\n", name) if len(name) > 16 else name for name in names]
    left = [0.0] * len(names)
    *kinds, _ = table.columns
    for number, kind in enumerate(kinds):
        widths = [values[number] for values in rows.values()]
        axes.barh(names, widths, left=left, color=HELD.get(kind, COLOURS[number]), label=word(kind), height=0.65)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    end = max(*left, limit or 0) * (1.1 if look.form is WIDE else 1.25)
    for place, values in enumerate(rows.values()):
        covered = limit and left[place] < limit < left[place] + end * (0.12 if look.form is WIDE else 0.24)
        beside = (limit if covered else left[place], place)
        axes.annotate(f"{values[-1]:.{decimals}f}", beside, (4, 0), textcoords="offset points", va="center")
    if limit:
        axes.axvline(limit, color=INK[look.scheme], linestyle="--", linewidth=1, label=f"{limit:g} GB")
    axes.invert_yaxis()
    axes.set_xlim(0, end)


def budget(table: Table, title: str, word: Words, look: Look, limit: float, near: int) -> str:
    """The bars of `memory`, and below them the last `near` once more, enlarged; both with a line at the limit."""

    def plot(axes: Axes) -> None:
        width = 0.96 - look.form.labels
        axes.set_position((look.form.labels, 0.49, width, 0.44))
        below = axes.figure.add_axes((look.form.labels, 0.13, width, 0.29))
        for each, techniques in ((axes, list(table.rows)), (below, list(table.rows)[-near:])):
            bars(each, table, techniques, word, look, limit)
        columns = look.form.legend + (look.form is WIDE)
        below.legend(ncols=columns, loc="upper center", bbox_to_anchor=(0.3, -0.12), frameon=False)

    return figure(plot, title, look, left=look.form.labels, stretch=1.6)


def timeline(table: Table, title: str, word: Words, look: Look) -> str:
    """What is held over time, a row of the table a kind, stacked from the bottom."""

    def plot(axes: Axes) -> None:
        axes.set_xticks([])
        axes.set_xlabel(word("two steps"))
        axes.set_xlim(0, len(table.columns) - 1)
        axes.set_ylim(0, 1.1 * max(map(sum, zip(*table.rows.values(), strict=True))))
        areas(axes, {kind: (values, HELD[kind]) for kind, values in table.rows.items()}, word, look)

    return figure(plot, title, look, left=0.6 / look.form.size[0])


def areas(
    axes: Axes, kinds: Mapping[str, tuple[Sequence[float], str]], word: Words, look: Look, borders: Sequence[int] = ()
) -> None:
    """Kinds, each its numbers and its colour, stacked over time, each named where its area has most room.

    A name that has no room there stands above all, with a line to its area. None crosses a border. The axes must have
    their limits.
    """
    moments, font = len(next(iter(kinds.values()))[0]), look.form.font
    box, (width, height) = axes.get_position(), axes.figure.get_size_inches() * 72
    across, up = box.width * width / axes.get_xlim()[1], box.height * height / axes.get_ylim()[1]  # points of one
    top = np.sum([values for values, _ in kinds.values()], axis=0)
    below, end = np.zeros(moments), -np.inf  # of the last name above
    for kind, (values, colour) in kinds.items():
        above = below + values
        axes.fill_between(range(moments), below, above, color=colour, linewidth=0)
        said = word(kind)
        half = sum(1.0 if unicodedata.east_asian_width(each) in "WF" else 0.6 for each in said) * font / 2 / across + 1
        places = [at for at in range(moments) if half <= at < moments - half
                  and all(abs(at - border) >= half for border in borders)] or [moments // 2]
        spans = {at: slice(max(0, round(at - half)), round(at + half) + 1) for at in places}
        room = {at: above[span].min() - below[span].max() for at, span in spans.items()}
        widest = [at for at in places if room[at] > max(room.values()) - 1 / up]
        place = widest[len(widest) // 2]
        if room[place] * up >= 1.2 * font:
            middle = (above[spans[place]].min() + below[spans[place]].max()) / 2
            axes.text(place, middle, said, color=INK_ON.get(colour, "black"), ha="center", va="center")
        elif any(values):
            place = max(places, key=lambda at: (at - half > end, values[at]))
            foot = top[spans[place]].max() + (1.2 if place - half > end else 2.6) * font / up
            end = place + half
            axes.annotate(said, (place, (below + above)[place] / 2), (place, foot), ha="center", arrowprops={
                "arrowstyle": "-", "linewidth": 0.6, "color": INK[look.scheme], "shrinkA": 0, "shrinkB": 0})
        below = above


def figure(plot: Callable[[Axes], None], title: str, look: Look, *, left: float, stretch: float = 1) -> str:
    """The SVG of one plot: transparent, without a date, in generic fonts; `left` of its width is for the labels."""
    form = look.form
    with style(look.scheme, form.font):
        canvas = Figure(figsize=(form.size[0], form.size[1] * stretch))
        axes = canvas.add_axes((left, 0.16, 0.96 - left, 0.72))
        plot(axes)
        canvas.suptitle(title, x=0.02, ha="left", fontsize=form.font + (1 if form is WIDE else -1))
        written = io.StringIO()
        canvas.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return generic(written.getvalue(), title, look.language)


def generic(svg: str, title: str, language: str) -> str:
    """Without matplotlib's own font, which the reader does not have, and with a name for those who hear the plot."""
    svg = svg.replace("'DejaVu Sans', sans-serif", FONTS[language])
    svg = re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)
    return re.sub(r"(<svg [^>]*>)", rf"\1\n <title>{title}</title>", svg, count=1)
