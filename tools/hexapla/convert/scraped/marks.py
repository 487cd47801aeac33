"""Inline marks go back around the words of a translation: where these words are the same, or their place says so.

A mark whose place is not known is left out, and reported. Nothing is put around words that only look likely.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hexapla.convert.scraped.inline import CODE, InlineMark, escape_text
from hexapla.convert.scraped.line_likeness import text_width
from hexapla.convert.scraped.parallel_page import MarkedText
from hexapla.convert.scraped.site_words import SiteWords

Span = tuple[int, int]
SEPARATOR = re.compile(r"[ \t]*[:：](?!//)|[ \t]+[-–—]+[ \t]+|——?|[ \t]+[(]|[（]")
CLOSING = " \t.:。！!?？：,，、;；"
ALL, SAME, LED, NAMED, ORDERED = 0.99, 0.98, 0.96, 0.95, 0.8
ELSEWHERE = 0.75  # how sure each kind of evidence makes a mark
ASKING = {"?", "!", "？", "！"}
SHORT = 2.5  # how much longer than their translation words may be
OPENING, CLOSED = re.compile(r"[ \t]?[(（]"), (")", "）")


class PlacedMark(NamedTuple):
    """Marks of the parallel page, the outer first, around some words of the translation."""

    marks: tuple[InlineMark, ...]
    span: Span
    confidence: float


class MarkedWords(NamedTuple):
    """A translation's words with their marks, which were placed and which were not."""

    text: str
    placed: tuple[PlacedMark, ...]
    lost: tuple[InlineMark, ...]


def place_marks(words: str, parallel: MarkedText, known: SiteWords) -> MarkedWords:
    """The words of a translation with the marks of its parallel text."""
    groups: dict[Span, list[InlineMark]] = {}
    for mark in parallel.marks:
        groups.setdefault((mark.start, mark.end), []).append(mark)
    placed: list[PlacedMark] = []
    refused: set[int] = set()
    shown = parallel.shown
    for span, confidence, marks in (
        *same_words(words, shown, groups), *by_place(words, shown, groups), *by_name(words, shown, groups, known),
        *by_phrase(words, shown, groups, known),
    ):
        done = refused | {id(mark) for each in placed for mark in each.marks}
        if marks[0].target and has_gloss(words, span) and not has_gloss(shown, marks[0][1:3]):
            refused |= {id(mark) for mark in marks}  # the gloss may belong to the link
            continue
        if all(id(mark) not in done for mark in marks) and all(can_nest(span, each.span) for each in placed):
            placed.append(PlacedMark(tuple(marks), span, confidence))
    done = {id(mark) for each in placed for mark in each.marks}
    return MarkedWords(words, tuple(placed), tuple(mark for mark in parallel.marks if id(mark) not in done))


def has_gloss(words: str, span: Span) -> bool:
    """Whether brackets follow some words at once, or are around them."""
    return bool(OPENING.match(words, span[1])) or (
        bool(OPENING.match(words, span[0] - 1)) and words[span[1] : span[1] + 1] in CLOSED)


Found = Iterator[tuple[Span, float, list[InlineMark]]]


def same_words(words: str, shown: str, groups: Mapping[Span, list[InlineMark]]) -> Found:
    """Marks around words that are the same in both languages, the longest first: names, code, numbers."""
    by_words: dict[str, list[Span]] = {}
    for span in sorted(groups):
        by_words.setdefault(shown[slice(*span)], []).append(span)
    there: list[Span] = []
    here: list[Span] = []
    for text in sorted(by_words, key=len, reverse=True):
        spans = by_words[text]
        all_there = [each for each in find_words(text, shown)
                     if each in spans or all(are_apart(each, other) for other in there)]
        all_here = [each for each in find_words(text, words) if all(are_apart(each, x) for x in here)]
        if len(all_there) == len(all_here):
            pairs = [(there_, here_) for there_, here_ in zip(all_there, all_here, strict=True) if there_ in spans]
            confidence = SAME
        elif len(spans) == len(all_there) and len({tuple(mark[3:] for mark in groups[span]) for span in spans}) == 1:
            pairs, confidence = list(zip(spans, all_here, strict=False)), ORDERED
        else:
            pairs, confidence = [], ORDERED
        for source, target in pairs:
            yield target, confidence, groups[source]
            here.append(target)
        there += spans


def by_place(words: str, shown: str, groups: Mapping[Span, list[InlineMark]]) -> Found:
    """Marks around all of a text, or around what comes before its first colon, dash or bracket."""
    bare = len(words) - len(words.lstrip()), len(words.rstrip(CLOSING))
    for (start, end), marks in groups.items():
        closed = shown[start:end].rstrip()[-1:] in ASKING and words[bare[1] : bare[1] + 1] in ASKING
        whole = bare[0], bare[1] + closed
        if not shown[:start].strip() and not shown[end:].strip(CLOSING):
            yield whole, ALL, marks
        elif not shown[:start].strip() and (after := SEPARATOR.match(shown, end)):
            same = (each for each in SEPARATOR.finditer(words) if sort_of(each.group()) == sort_of(after.group()))
            if (found := next(same, None)) and found.start() > whole[0]:
                yield (whole[0], found.start()), LED, marks


def sort_of(separator: str) -> str:
    """The sort of a separator, whatever its width and the spaces around it."""
    bare = separator.strip().replace("：", ":").replace("（", "(")
    return "-" if bare and bare[0] in "-–—" else bare


def by_name(words: str, shown: str, groups: Mapping[Span, list[InlineMark]], known: SiteWords) -> Found:
    """Links around the words that name their target on other pages of this language."""
    for (start, end), marks in groups.items():
        exact = known.words(marks[0].target, shown[start:end]) if marks[0].target else ()
        for name in sorted(exact, key=len, reverse=True):
            # Words for the same target in another place may be a part of these: they have to be about as long.
            if text_width(name) * SHORT >= text_width(shown[start:end]) and (found := find_words(name, words)):
                yield found[0], NAMED, marks
                break


def by_phrase(words: str, shown: str, groups: Mapping[Span, list[InlineMark]], known: SiteWords) -> Found:
    """Links around the words that stand elsewhere for theirs, if these are there as often as in the parallel text."""
    for (start, end), marks in groups.items():
        if not marks[0].target:
            continue
        folded = shown.casefold()  # capitals aside
        there = find_words(shown[start:end].casefold(), folded) if len(folded) == len(shown) else []
        for name in sorted(known.translations(shown[start:end]), key=len, reverse=True):
            here = find_words(name, words) if text_width(name) * SHORT >= text_width(shown[start:end]) else []
            if here and len(here) == len(there) and (start, end) in there:
                yield here[there.index((start, end))], ELSEWHERE, marks
                break


def find_words(text: str, words: str) -> list[Span]:
    """Where a text stands as words of its own."""
    pattern = (r"(?<![A-Za-z0-9_])" if re.match(r"\w", text, re.A) else "") + re.escape(text)
    pattern += r"(?![A-Za-z0-9_])" if re.search(r"\w\Z", text, re.A) else ""
    return [match.span() for match in re.finditer(pattern, words)] if text.strip() else []


def are_apart(one: Span, other: Span) -> bool:
    """Whether two spans share nothing."""
    return one[1] <= other[0] or other[1] <= one[0]


def can_nest(one: Span, other: Span) -> bool:
    first, second = sorted((one, other), key=lambda span: (span[0], -span[1]))
    return are_apart(one, other) or (first != second and second[1] <= first[1])


def write_marks(marked: MarkedWords) -> str:
    """The words with their marks, as Markdown."""
    opens: dict[int, list[tuple[int, str]]] = {}
    closes: dict[int, list[tuple[int, str]]] = {}
    code = [each.span for each in marked.placed if each.marks[-1].kind is CODE]
    for each in marked.placed:
        start, end = each.span
        opens.setdefault(start, []).append((-end, "".join(mark.opens for mark in each.marks)))
        closes.setdefault(end, []).append((-start, "".join(mark.closes for mark in reversed(each.marks))))
    done, position = [], 0
    for at in sorted({*opens, *closes, len(marked.text)}):
        between = marked.text[position:at]
        done.append(between if any(start <= position < end for start, end in code) else escape_text(between))
        done += [text for _, text in sorted(closes.get(at, []))]
        done += [text for _, text in sorted(opens.get(at, []))]
        position = at
    return "".join(done)
