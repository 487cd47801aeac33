"""Text that breaks off, and text much shorter or longer than its source."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.memo import memoized
from hexapla.checks.rules.text.prose import find_readable, shortened
from hexapla.languages import base
from hexapla.pages import Block, Page

Pairs = list[tuple[Block, Block]]

TERMINAL = frozenset(".!?:;…⋯。！？：；।՝።︰﹕等등")
# A closing mark or a picture behind the last word.
TAIL = re.compile(r"[\"'“”‘’」』）)】》\]〉›»*_\s\u200b-\u200d\ufe0f\u2600-\u27bf\U0001f000-\U0001faff]")
COMMAS = frozenset(",，、")
MARK = "\ufffc"  # inline code or an image in a block's text
OPEN_ENDS = frozenset(",，、([{（「『【《—–-/・")
ENDS = frozenset(".!?")  # of a source's sentence; after a colon a translation may say it otherwise
FLOWING = frozenset({"p", "li", "dd", "attribute"})
# How sentences end in text that forgot its full stop: what ends otherwise breaks off.
FINAL = {
    "ja": re.compile(
        r"(?:です|ます|ました|ません|でした|でしょう|ましょう|ください|下さい|[すんた]か|ない|なさい|こと|もの|だ|た|る|う)$"
    ),
    "ko": re.compile(r"[다요까죠오음함됨임것기지]$"),
}
# Characters of a text for each of the same text in English: medians of sections of FastAPI's documentation.
CHARACTERS = {
    "en": 1.0, "zh": 0.38, "yue": 0.38, "ja": 0.53, "ko": 0.56, "de": 1.17, "fr": 1.17, "es": 1.08, "pt": 1.08,
    "ru": 1.06, "hi": 1.06, "tr": 1.04, "uk": 1.03,
}
LATIN = 1.1   # where nothing is known of a language
WEIGHT = 600  # characters of a page that count as much as what is usual

# Words that no sentence ends with.
UNFINISHED = {
    "zh": re.compile(r"(?:[和与與或及从從将將把被让讓使在对對为為以并並且但若其该該这這每各]|如果|可以|通过|通過)$"),
    "ja": re.compile(r"[はがをにとでへも]$"),
    "ko": re.compile(r"[은는을를의에와과]$"),
}


@memoized
def flowing_pairs(original: Page, page: Page) -> Pairs:
    """The paragraphs and items that stand for each other."""
    sections = alignment.section_pairs(original, page, find_readable(original.blocks), find_readable(page.blocks))
    return [pair for _, *sides in sections
            for pair in alignment.blocks(*([block for block in side if block.kind in FLOWING] for side in sides))]


def last_letter(text: str) -> str:
    """The last character that is no closing mark."""
    end = len(text)
    while end and TAIL.match(text, end - 1):
        end -= 1
    return text[end - 1 : end] if end else ""


def text_truncated(context: RuleContext) -> Iterator[Violation]:
    """Blocks that end in mid-sentence where the source's ends its sentence."""
    pairs, language = flowing_pairs(context.original, context.page), base(context.document.language)
    ended = [(a, b) for a, b in pairs if last_letter(a.text) in ENDS]
    share, habit = length_ratio(pairs), Counter((b.kind, last_letter(b.text) in TERMINAL) for _, b in ended)
    enumerating = sum(b.kind == "li" and b.text[-1:] in COMMAS for _, b in ended) > 1  # items with commas between
    for source, target in ended:
        ending, expected = target.text[-1:], share * len(source.text)
        broken_off = ending.isalnum() and ending not in TERMINAL
        hanging = ending in OPEN_ENDS and not (enumerating and target.kind == "li" and ending in COMMAS)
        done, others = habit[target.kind, True], sum(habit[target.kind, each] for each in (True, False)) - 1
        usual = others > 1 and done >= 0.85 * others  # the other blocks of its kind end where the source's do
        if not hanging and not (broken_off and len(target.text) > 0.15 * expected
                                and breaks_off(source, target, expected, usual, language)):
            continue
        yield Violation("text-truncated", target.text[-20:], f"the text ends in mid-sentence: {target.text[-20:]!r}",
                        "translate the rest of the source's sentence", target.line, target.column, source.line)


def length_ratio(pairs: Pairs) -> float:
    """How long the translation is beside the source, as the median of its blocks; 0 where there are too few."""
    found = sorted(len(b.text) / len(a.text) for a, b in pairs if len(a.text) >= 30)
    half = len(found) // 2  # `statistics` imports all of its fractions and decimals
    return 0.0 if len(found) < 3 else found[half] if len(found) % 2 else (found[half - 1] + found[half]) / 2


def breaks_off(source: Block, target: Block, expected: float, habit: bool, language: str) -> bool:
    """Whether a block breaks off: it ends as no sentence does, lacks inline code, or is shorter than its page's others
    let expect, by a little where ending without a stop is against their habit, by a third where there is no telling.
    """
    paragraph = target.kind == "p"
    if not habit:
        return paragraph and len(target.text) < 0.67 * expected
    unfinished, final = UNFINISHED.get(language), FINAL.get(language)
    if (unfinished and unfinished.search(target.text)) or target.text.count(MARK) < source.text.count(MARK):
        return True
    if paragraph and final:
        return not final.search(target.text) or len(target.text) < 0.9 * expected
    return not expected or len(target.text) < (0.95 if paragraph else 0.8) * expected


def usual_share(context: RuleContext) -> float:
    """How long the translation is beside the source, as texts of the languages are, and more and more as the page's."""
    if context.source is None:
        return 1.0
    usual, english = (CHARACTERS.get(base(each.language), LATIN) for each in (context.document, context.source))
    pairs = flowing_pairs(context.original, context.page)
    said, there = (sum(len(pair[side].text) for pair in pairs) for side in (1, 0))
    return (said + WEIGHT * usual / english) / (there + WEIGHT)


def length_suspect(context: RuleContext) -> Iterator[Violation]:
    """Blocks of a quite other length than the page's others let expect, and paragraphs that are said twice."""
    yield from repeated_paragraphs(context)
    pairs = flowing_pairs(context.original, context.page)
    share = length_ratio(pairs) or usual_share(context)
    for source, target in pairs:
        expected = share * len(source.text)
        if len(source.text) < 60 or 0.4 * expected <= len(target.text) <= 2.5 * expected:
            continue
        much = "shorter" if len(target.text) < expected else "longer"
        yield Violation("length-suspect", shortened(target.text),
                        f"{len(target.text)} characters, much {much} than the source's lets expect",
                        "compare it with the source", target.line, target.column, source.line)


def repeated_paragraphs(context: RuleContext) -> Iterator[Violation]:
    """Paragraphs that stand twice, one below the other."""
    known, here = (
        [second for first, second in pairwise(block for block in page.blocks if block.kind in FLOWING)
         if first.text == second.text and len(first.text) >= 20
         and page.lines[first.line - 1] == page.lines[second.line - 1]]  # with the same code and targets
        for page in (context.original, context.page)
    )
    for block in () if known else here:
        yield Violation("length-suspect", shortened(block.text), f"{block.text[:20]!r} stands twice", "take one out",
                        block.line, block.column)
