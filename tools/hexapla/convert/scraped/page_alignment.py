"""Which lines of a scraped page stand for which unit of its parallel page, in order, with how sure that is.

Every way to pair them in order has a weight, by evidence for its pairs and a price for what it leaves alone; the
confidence of a pair is the share of the ways that have it (the forward-backward algorithm).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import exp, log
from operator import mul
from typing import NamedTuple

from hexapla.convert.scraped.line_likeness import (
    STOP,
    WIDE,
    EvidenceWeights,
    measure_likeness,
    read_evidence,
    text_width,
    weigh_tokens,
)
from hexapla.convert.scraped.parallel_page import ParallelUnit, UnitKind

# Labels of buttons beside code and headings; those that stand there more than once are known by that.
BUTTONS = {
    "copy", "copied", "copied!", "copy page", "copy code", "copy to clipboard", "コピー", "コピーしました", "复制",
    "已复制", "复制代码", "複製", "已複製", "복사", "copier", "kopieren", "copiar", "копировать",
}
BUTTON_WIDTH = 24
PROSE_WIDTH = 40
LONE_LINE, LONE_UNIT = exp(-0.8), exp(-0.9)  # the price of what has no counterpart
LONE_HEADING = exp(-2.5)  # which is seldom left out
MARGIN = exp(-0.1)  # of a line before the first pair or after the last: most likely the site's
JOINED = -1.5  # of each line more that a unit is broken into
MOST_LINES = 4  # that one unit is broken into
LEAST = -8.0  # of the evidence for a pair, to be looked at
SURE = 0.5
LONG, FEWEST = 40, 3  # the width of units, and their number, whose pairs say how long a translation is
FLOWING = {UnitKind.PARAGRAPH, UnitKind.ITEM}


class UnitMatch(NamedTuple):
    """The scraped page's lines first to last + 1 stand for a unit; `weight` of it, its share of all ways once known."""

    first: int
    last: int
    unit: int
    weight: float


def align_page(lines: Sequence[str], starts: Sequence[bool], units: Sequence[ParallelUnit]) -> list[UnitMatch]:
    """The pairs of lines and units; `starts` says which lines have an empty one before them.

    What is found first says how long a translation of this page is, and is looked for again.
    """
    found = align_once(lines, starts, units, 0.0)
    ratios = sorted(
        text_width(" ".join(lines[pair.first : pair.last])) / length for pair in found
        if units[pair.unit].kind in FLOWING and (length := text_width(units[pair.unit].shown)) >= LONG)
    return align_once(lines, starts, units, ratios[len(ratios) // 2]) if len(ratios) >= FEWEST else found


def align_once(
    lines: Sequence[str], starts: Sequence[bool], units: Sequence[ParallelUnit], ratio: float
) -> list[UnitMatch]:
    """The pairs of lines and units, given how long a line is by its unit, 0 for what is usual."""
    found = list(possible_pairs(lines, starts, units, weigh_tokens(lines, units, ratio)))
    prices = [LONE_HEADING if unit.kind is UnitKind.HEADING else LONE_UNIT for unit in units]
    ahead, scales_ahead = sum_ways(found, len(lines), prices)
    turned = [UnitMatch(len(lines) - pair.last, len(lines) - pair.first, len(units) - 1 - pair.unit, pair.weight)
              for pair in reversed(found)]
    behind, scales_behind = sum_ways(turned, len(lines), prices[::-1])
    every = scales_ahead[-1] + log(ahead[-1][-1])
    pairs = []
    for pair in found:
        after = len(lines) - pair.last
        ways = ahead[pair.first][pair.unit] * pair.weight * behind[after][len(units) - 1 - pair.unit]
        share = ways * exp(scales_ahead[pair.first] + scales_behind[after] - every)
        if share > SURE:
            pairs.append(pair._replace(weight=min(share, 1.0)))
    return pairs


def possible_pairs(
    lines: Sequence[str], starts: Sequence[bool], units: Sequence[ParallelUnit], weights: EvidenceWeights
) -> Iterator[UnitMatch]:
    """Every pair that has some evidence, with its weight."""
    ends = [*starts[1:], True]
    spaced = sum(starts) * 10 > len(starts)
    theirs = [read_evidence(unit.shown, weights.weights) for unit in units]
    for first in range(len(lines)):
        most = next((more for more in range(1, MOST_LINES) if starts[first + more : first + more + 1] != [False]),
                    MOST_LINES)
        joined = [
            read_evidence(" ".join(lines[first : first + count]), weights.weights,
                          (1.0 if starts[first] and ends[first + count - 1] else -1.0) if spaced else 0.0)
            for count in range(1, most + 1)]
        for number, unit in enumerate(units):
            for more, text in enumerate(joined if unit.kind in FLOWING else joined[:1]):
                score = measure_likeness(text, theirs[number], unit.kind, weights)
                if score is not None and (score := score + JOINED * more) > LEAST:
                    yield UnitMatch(first, first + 1 + more, number, exp(score))


def sum_ways(
    pairs: Sequence[UnitMatch], lines: int, prices: Sequence[float]
) -> tuple[list[list[float]], list[float]]:
    """The weights of all ways to pair so many lines and units from the start on, a row's times e to its scale."""
    ending: list[list[UnitMatch]] = [[] for _ in range(lines + 1)]
    for pair in pairs:
        ending[pair.last].append(pair)
    rows, scales = [[*accumulate(prices, mul, initial=1.0)]], [0.0]
    for line in range(1, lines + 1):
        before = rows[-1]
        row = [weight * LONE_LINE for weight in before]
        row[0], row[-1] = before[0] * MARGIN, before[-1] * MARGIN
        for pair in ending[line]:
            row[pair.unit + 1] += rows[pair.first][pair.unit] * pair.weight * exp(scales[pair.first] - scales[-1])
        for unit, price in enumerate(prices):
            row[unit + 1] += row[unit] * price
        top = max(row)
        rows.append([weight / top for weight in row])
        scales.append(scales[-1] + log(top))
    return rows, scales


class LoneLine(NamedTuple):
    """A line without a counterpart: `after` is the last unit that has one before it, -1 for none."""

    line: int
    after: int
    site: bool  # it belongs to the site, not to the page


def judge_lone_lines(lines: Sequence[str], units: Sequence[ParallelUnit], pairs: Sequence[UnitMatch]) -> list[LoneLine]:
    """What each line without a counterpart is."""
    owner = {line: pair.unit for pair in pairs for line in range(pair.first, pair.last)}
    lone = [line for line in range(len(lines)) if line not in owner]
    counts = Counter(lines[line] for line in lone)
    wide = sum(bool(WIDE.search(lines[line])) for line in owner) * 2 > len(owner)
    first, last = min(owner, default=0), max(owner, default=-1)
    begins = bool(pairs) and units[pairs[0].unit].kind is UnitKind.HEADING and pairs[0].unit == 0
    shown = {lines[pair.first] for pair in pairs if units[pair.unit].kind is UnitKind.HEADING}
    found, after = [], -1
    for line, text in enumerate(lines):
        if line in owner:
            after = owner[line]
            continue
        flows = bool(STOP.search(text)) and text_width(text) >= PROSE_WIDTH and bool(WIDE.search(text)) >= wide
        button = text.casefold() in BUTTONS or (counts[text] > 1 and text_width(text) <= BUTTON_WIDTH and not flows)
        margin = line < first or line > last
        site = button or text in shown or (line < first and begins) or (margin and not flows)
        found.append(LoneLine(line, after, site))
    return found
