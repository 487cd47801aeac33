"""Lines of a scraped page that stand for nothing of its parallel page: the site's own, or text that only one has."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hexapla.convert.scraped.line_likeness import STOP, WIDE, width
from hexapla.convert.scraped.page_alignment import UnitMatch
from hexapla.convert.scraped.parallel_page import ParallelUnit, UnitKind

# Labels of buttons beside code and headings; those that stand there more than once are known by that.
BUTTONS = {
    "copy", "copied", "copied!", "copy page", "copy code", "copy to clipboard", "コピー", "コピーしました", "复制",
    "已复制", "复制代码", "複製", "已複製", "복사", "copier", "kopieren", "copiar", "копировать",
}
BUTTON_WIDTH = 24
PROSE_WIDTH = 40


class LoneLine(NamedTuple):
    """A line without a counterpart: `after` is the last unit that has one before it, -1 for none."""

    line: int
    after: int
    site: bool  # it belongs to the site, not to the page


def judge(lines: Sequence[str], units: Sequence[ParallelUnit], pairs: Sequence[UnitMatch]) -> list[LoneLine]:
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
        flows = bool(STOP.search(text)) and width(text) >= PROSE_WIDTH and bool(WIDE.search(text)) >= wide
        button = text.casefold() in BUTTONS or (counts[text] > 1 and width(text) <= BUTTON_WIDTH and not flows)
        margin = line < first or line > last
        site = button or text in shown or (line < first and begins) or (margin and not flows)
        found.append(LoneLine(line, after, site))
    return found
