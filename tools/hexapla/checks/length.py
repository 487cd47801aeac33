"""Text that breaks off, and text much shorter or longer than its source."""

import re
from collections import Counter
from collections.abc import Iterator
from statistics import median

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.checks.prose import readable
from hexapla.pages import Block

Pairs = list[tuple[Block, Block]]

TERMINAL = frozenset(".!?:;…⋯。！？：；।՝።︰﹕等등")
# Closing marks and pictures behind the last word.
TAIL = re.compile(r"[\"'“”‘’」』）)】》\]〉›»*_\s\u200b-\u200d\ufe0f\u2600-\u27bf\U0001f000-\U0001faff]+$")
OPEN_ENDS = frozenset(",，、([{（「『【《—–-/・")
ENDS = frozenset(".!?")  # of a source's sentence; after a colon a translation may say it otherwise
FLOWING = frozenset({"p", "li", "dd"})


def flowing_pairs(case: Case) -> Pairs:
    """The paragraphs and items that stand for each other."""
    source = [block for block in readable(case.original.blocks) if block.kind in FLOWING]
    target = [block for block in readable(case.page.blocks) if block.kind in FLOWING]
    return [pair for _, first, second in align.section_pairs(case.original, case.page, source, target)
            for pair in align.blocks(first, second)]


def last(text: str) -> str:
    """The last character that is no closing mark."""
    return TAIL.sub("", text)[-1:]


def text_truncated(case: Case) -> Iterator[Found]:
    """Blocks that end in mid-sentence where the source's ends its sentence."""
    pairs = flowing_pairs(case)
    ended = [(a, b) for a, b in pairs if last(a.text) in ENDS]
    share, habit = ratio(pairs), Counter((b.kind, last(b.text) in TERMINAL) for _, b in ended)
    for source, target in ended:
        ending = target.text[-1:]
        broken_off = ending.isalnum() and ending not in TERMINAL
        if ending not in OPEN_ENDS and not (broken_off and cut(source, target, share, habitual(habit, target.kind))):
            continue
        yield Found("text-truncated", f"the text ends in mid-sentence: {target.text[-20:]!r}",
                    "translate the rest of the source's sentence", target.line, target.column, source.line)


def ratio(pairs: Pairs) -> float:
    """How long the translation is beside the source, as the median of its blocks; 0 where there are too few."""
    found = [len(b.text) / len(a.text) for a, b in pairs if len(a.text) >= 30]
    return median(found) if len(found) >= 3 else 0.0


def habitual(habit: Counter[tuple[str, bool]], kind: str) -> bool:
    """Whether the other blocks of a kind end their sentences where the source does; the one that asks does not."""
    done, others = habit[kind, True], habit[kind, True] + habit[kind, False] - 1
    return others > 1 and done >= 0.85 * others


def cut(source: Block, target: Block, share: float, habit: bool) -> bool:
    """Whether a block is shorter than the page's others let expect: by a little where ending without a stop is against
    the page's habit (an item more than a paragraph), by a third where there is no telling.
    """
    expected = share * len(source.text)
    if not habit:
        return target.kind == "p" and len(target.text) < 0.67 * expected
    return not share or len(target.text) < (0.9 if target.kind == "p" else 0.8) * expected


def length_suspect(case: Case) -> Iterator[Found]:
    """Blocks of a quite other length than the page's others let expect."""
    pairs = flowing_pairs(case)
    share = ratio(pairs)
    if not share:
        return
    for source, target in pairs:
        expected = share * len(source.text)
        if len(source.text) < 60 or 0.4 * expected <= len(target.text) <= 2.5 * expected:
            continue
        much = "shorter" if len(target.text) < expected else "longer"
        yield Found("length-suspect", f"{len(target.text)} characters, much {much} than the source's lets expect",
                    "compare it with the source", target.line, target.column, source.line)
