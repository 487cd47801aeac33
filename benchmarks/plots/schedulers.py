"""The same requests under four schedulers, as `roofline/schedulers.py` printed them: what each slot does and when."""

import re
from typing import NamedTuple

from benchmarks.plots.draw import NARROW, Look, Words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, ORANGE, PINK, box, cell, document, key, text

SNIPPET = "roofline/schedulers.py"
NAME = re.compile(
    r"^  (?P<name>\w+): last token (?P<last>\d+) ms, first token (?P<first>\d+) ms on average, "
    r"longest gap (?P<gap>[\d.]+) ms$"
)
ROW = re.compile(r"^    (?P<row>[\w ]+): (?P<spans>\w+ \d+ [\d.]+ [\d.]+ \d+(?:, \w+ \d+ [\d.]+ [\d.]+ \d+)*)$")
FILLS = {"prompt": ORANGE, "tokens": BLUE, "waits": PINK}
TICKS = 100  # milliseconds between two marks of the axis


class Span(NamedTuple):
    """What a slot does: reads a prompt, gets tokens, or waits; in milliseconds."""

    kind: str
    request: int
    start: float
    end: float
    tokens: int


class Run(NamedTuple):
    """When the last token is there, the first of a request on average, the longest gap; the spans of each row."""

    last: int
    first: int
    gap: float
    rows: dict[str, list[Span]]


class Sizes(NamedTuple):
    """Pixels of the picture's parts, for a wide and for a narrow screen."""

    width: int
    label: int
    row: int
    font: int


ON_WIDE, ON_NARROW = Sizes(700, 66, 22, 13), Sizes(340, 44, 18, 11)


def read(output: str) -> dict[str, Run]:
    """The run of each scheduler. Raises TableError."""
    found: dict[str, Run] = {}
    for line in output.splitlines():
        if match := NAME.match(line):
            found[match["name"]] = Run(int(match["last"]), int(match["first"]), float(match["gap"]), {})
        elif (match := ROW.match(line)) and found:
            spans = (span.split() for span in match["spans"].split(", "))
            found[[*found][-1]].rows[match["row"]] = [
                Span(kind, int(request), float(start), float(end), int(tokens))
                for kind, request, start, end, tokens in spans
            ]
    if not found:
        raise TableError(f"{output[:40]!r} begins no schedulers; run {SNIPPET} again")
    return found


def slot(spans: list[Span], left: float, top: float, scale: float, sizes: Sizes) -> list[str]:
    """A row: a box for each span, the request's number where it begins, a notch after each of its tokens."""
    parts: list[str] = []
    last, high = Span("", 0, 0, 0, 0), sizes.row - 2
    for span in spans:
        start, end = left + span.start * scale, left + span.end * scale
        number = str(span.request) if span.request != last.request else ""
        if span.kind != "tokens":
            parts.append(cell(start - 0.5, top - 1, end - start + 1, sizes.row, number, sizes.font - 2,
                              FILLS[span.kind]))
        else:
            goes_on = (last.kind, last.request, last.end) == (span.kind, span.request, span.start)
            parts.append(box(start - goes_on + 0.5, top, end - start + goes_on - 1, high, BLUE))
            ends = [start + (end - start) * place / span.tokens for place in range(not goes_on, span.tokens)]
            notches = "".join(f"M{place:.1f} {top + high - 5:g}v5" for place in ends)
            parts.append(f'<path d="{notches}" stroke="#ffffff"/>')
            parts.append(text(start + 4, top + high * 0.66, number, sizes.font - 2, 'fill="#ffffff"'))
        last = span
    return parts


def picture(runs: dict[str, Run], word: Words, look: Look) -> str:
    """One below the other over the same milliseconds, each with its figures."""
    narrow = look.form is NARROW
    sizes = ON_NARROW if narrow else ON_WIDE
    longest = max(run.last for run in runs.values())
    scale = (sizes.width - sizes.label - 14) / longest  # pixels of a millisecond
    marks = range(0, longest + 1, TICKS)
    parts: list[str] = []
    top = 0.0
    for name, run in runs.items():
        parts.append(text(2, top + sizes.font + 2, word(f"scheduler: {name}"), sizes.font + 1, 'font-weight="bold"'))
        said = word("scheduler figures").format(first=run.first, gap=run.gap, last=run.last)
        if narrow:
            top += sizes.font + 4
            parts.append(text(2, top + sizes.font + 2, said, sizes.font - 1))
        else:
            parts.append(text(sizes.width - 14, top + sizes.font + 2, said, sizes.font - 1, 'text-anchor="end"'))
        top += sizes.font + 9
        high = len(run.rows) * sizes.row - 2
        lines = "".join(f"M{sizes.label + mark * scale:.1f} {top:g}v{high:g}" for mark in marks)
        parts.append(f'<path d="{lines}" stroke="currentColor" stroke-opacity="0.25"/>')
        for row, spans in run.rows.items():
            kind, _, number = row.partition(" ")
            named = word(f"row: {kind}").format(number=number)
            parts.append(text(2, top + sizes.row * 0.64, named, sizes.font - 1))
            parts += slot(spans, sizes.label, top, scale, sizes)
            top += sizes.row
        top += 10
    parts += [text(sizes.label + mark * scale, top + 4, f"{mark}" if mark else "0 ms", sizes.font - 2,
                   'text-anchor="middle"') for mark in marks]
    top += 16
    columns = 1 if narrow else 3
    entries = [(word(f"span: {kind}"), fill, 1.0) for kind, fill in FILLS.items()]
    parts += key(entries, 2, top, columns, (sizes.width - 4) / columns, sizes.font - 1)
    return document(parts, sizes.width, top + (56 if narrow else 20), word("schedulers"), look)
