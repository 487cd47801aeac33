"""Ways to corrupt a section of a translation: each takes its Markdown and gives it back with one thing wrong, or None.

They know nothing of the judge: they cut lines and sentences by expressions of their own.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

FENCE = re.compile(r"(?ms)^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1[^\n]*$|<!--.*?-->|^---$.*?^---$")
KEPT = re.compile(
    r"`+[^`\n]*`+|\]\([^()\n]*\)|\{[^{}\n]*\}|<[^<>\n]*>|https?://\S+"
    r"|^ *(?:!!!|\?\?\?|===|--8<--|:::|\d+\.|\|[-| :]+\|$).*?$", re.M)
NO_PROSE = re.compile(r"\s*(?:#|!!!|\?\?\?|===|<|:::|--8<--|\[\^?[^\]]*\]:|import |export |\||$)")
ENDS = re.compile(r"[^。！？\n]+[。！？]|[^.!?\n。！？]+(?:[.!?](?=[^\s.!?])[^.!?\n。！？]*)*[.!?](?=\s|$)")
NUMBER = re.compile(r"(?<![\w.,#-])\d+(?:[.,]\d+)*(?![\w.,#-]*\d)")
NAME = re.compile(r"(?<![\w`/.#-])[A-Z][A-Za-z0-9]*[A-Z0-9](?![\w`/-])")
UNIT = re.compile(r"(?<=\d)( ?)(GiB|GB|MiB|MB|KB|TB|ms|秒|分|時間|小时|毫秒|초|분|px|%)")
UNITS = {"GiB": "MiB", "GB": "MB", "MiB": "GiB", "MB": "GB", "KB": "MB", "TB": "GB", "ms": "s", "秒": "分", "分": "秒",
         "時間": "分", "小时": "分钟", "毫秒": "秒", "초": "분", "분": "초", "px": "em", "%": "倍"}
LINK = re.compile(r"(?<!!)(\[[^\[\]\n]+\]\()([^()\s]+)(\))")
CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
ROW = re.compile(r"(?m)^ *\|(.+)\|[ \t]*$")
NARROW = {"，": ", ", "。": ". ", "、": ", ", "：": ": ", "；": "; ", "！": "! ", "？": "? ", "（": " (", "）": ") "}
WIDE = {". ": "。", ", ": "，", "? ": "？"}
Corrupt = Callable[["Sample", random.Random], str | None]


class Sample(NamedTuple):
    """A section's Markdown, its language, sentences of other sections of the tree, and sentences of other languages."""

    text: str
    language: str
    others: Sequence[str]
    foreign: Sequence[str]


def prose(text: str) -> list[tuple[int, int]]:
    """The places of a section's lines that are prose, headings and code left out."""
    hidden = [match.span() for match in FENCE.finditer(text)]
    found, start = [], 0
    for line in text.splitlines(keepends=True):
        inside = any(first <= start < last for first, last in hidden)
        if not inside and not NO_PROSE.match(line):
            found.append((start, start + len(line)))
        start += len(line)
    return found


def places(text: str, wanted: re.Pattern[str], tables: bool = False) -> list[re.Match[str]]:
    """What an expression finds in the prose of a section, outside of what has to stay."""
    lines = prose(text) + ([match.span() for match in ROW.finditer(text)] if tables else [])
    kept = [match.span() for match in KEPT.finditer(text)]
    return [
        match for first, last in lines for match in wanted.finditer(text, first, last)
        if not any(a < match.end() and match.start() < b for a, b in kept)
    ]


def said(text: str) -> list[tuple[int, int]]:
    """The places of a section's sentences; marks of a list before the first are none of it."""
    found = []
    for first, last in prose(text):
        for match in ENDS.finditer(text, first, last):
            lead = re.match(r"[\s>*+-]*(?:\d+[.)]\s+)?", match[0])
            start = match.start() + (lead.end() if lead else 0)
            if match.end() - start > 5 and match[0].count("`") % 2 == 0 and match[0].count("**") % 2 == 0 \
                    and match[0].count("[") == match[0].count("]"):
                found.append((start, match.end()))
    return found


def put(text: str, start: int, end: int, new: str) -> str:
    """A text with a piece replaced."""
    return text[:start] + new + text[end:]


def swapped(text: str, one: tuple[int, int], other: tuple[int, int]) -> str:
    """A text with two pieces in each other's place."""
    (a, b), (c, d) = sorted((one, other))
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def exchanged(text: str, found: Sequence[tuple[int, int]], pick: random.Random) -> str | None:
    """Two pieces that differ, in each other's place."""
    pairs = [(one, other) for i, one in enumerate(found) for other in found[i + 1 :]
             if text[slice(*one)] != text[slice(*other)]]
    return swapped(text, *pick.choice(pairs)) if pairs else None


def numbers_swapped(sample: Sample, pick: random.Random) -> str | None:
    return exchanged(sample.text, [each.span() for each in places(sample.text, NUMBER, True)], pick)


def codes_swapped(sample: Sample, pick: random.Random) -> str | None:
    lines = prose(sample.text)
    found = [match.span() for first, last in lines for match in CODE.finditer(sample.text, first, last)]
    return exchanged(sample.text, found, pick)


def links_swapped(sample: Sample, pick: random.Random) -> str | None:
    lines = prose(sample.text) + [match.span() for match in ROW.finditer(sample.text)]
    found = [match.span(2) for first, last in lines for match in LINK.finditer(sample.text, first, last)]
    return exchanged(sample.text, found, pick)


def sentence_dropped(sample: Sample, pick: random.Random) -> str | None:
    lines = [[place for place in said(sample.text) if first <= place[0] < last] for first, last in prose(sample.text)]
    several = [place for line in lines if len(line) > 1 for place in line]
    return put(sample.text, *pick.choice(several), "") if several else None


def sentence_added(sample: Sample, pick: random.Random) -> str | None:
    found = said(sample.text)
    if not found or not sample.others:
        return None
    end = pick.choice(found)[1]
    return put(sample.text, end, end, spaced(sample) + pick.choice(sample.others))


def sentence_twice(sample: Sample, pick: random.Random) -> str | None:
    found = said(sample.text)
    if not found:
        return None
    start, end = pick.choice(found)
    return put(sample.text, end, end, spaced(sample) + sample.text[start:end].strip())


def spaced(sample: Sample) -> str:
    return "" if sample.language in {"zh", "ja"} else " "


def unit_changed(sample: Sample, pick: random.Random) -> str | None:
    found = places(sample.text, UNIT, True)
    if not found:
        return None
    chosen = pick.choice(found)
    return put(sample.text, *chosen.span(2), UNITS[chosen[2]])


def name_changed(sample: Sample, pick: random.Random) -> str | None:
    found = places(sample.text, NAME, True)
    if not found:
        return None
    chosen = pick.choice(found)
    others = sorted({"CPU", "GPU", "API", "HTML", *(each[0] for each in found)} - {chosen[0]})
    other = {"GPU": "CPU", "CPU": "GPU"}.get(chosen[0]) or pick.choice(others)
    return put(sample.text, *chosen.span(), other)


def cells_swapped(sample: Sample, pick: random.Random) -> str | None:
    rows = [match for match in ROW.finditer(sample.text) if not re.fullmatch(r"[-| :]+", match[1])][1:]
    cells = []
    for row in rows:
        for cell in re.finditer(r"(?:[^|`\\]|\\.|`[^`]*`)+", sample.text[row.start(1) : row.end(1)]):
            inner = cell[0].strip()
            if inner:
                start = row.start(1) + cell.start() + cell[0].index(inner)
                cells.append((start, start + len(inner)))
    return exchanged(sample.text, cells, pick)


def width_changed(sample: Sample, pick: random.Random) -> str | None:
    marks = WIDE if sample.language == "ko" else NARROW
    lead = r"(?<=[가-힣])" if sample.language == "ko" else r"(?<=[\u3041-\u30ff\u4e00-\u9fff])"
    found = places(sample.text, re.compile(lead + "(?:" + "|".join(map(re.escape, marks)) + ")"))
    if not found:
        return None
    chosen = pick.choice(found)
    return put(sample.text, *chosen.span(), marks[chosen[0]])


def sentence_foreign(sample: Sample, pick: random.Random) -> str | None:
    found = said(sample.text)
    return put(sample.text, *pick.choice(found), pick.choice(sample.foreign)) if found and sample.foreign else None


def replaced(sample: Sample, pick: random.Random, table: dict[str, str]) -> str | None:
    found = places(sample.text, re.compile("|".join(sorted(map(re.escape, table), key=len, reverse=True))), True)
    if not found:
        return None
    chosen = pick.choice(found)
    return put(sample.text, *chosen.span(), table[chosen[0]])


REGISTER = {
    "ja": {"します。": "する。", "です。": "である。", "ます。": "る。", "ません。": "ない。", "ください。": "よ。"},
    "ko": {"습니다.": "어요.", "합니다.": "해요.", "입니다.": "이다.", "됩니다.": "된다.", "있습니다.": "있다."},
    "zh": {},
}
NEGATION = {
    "ja": {"できます": "できません", "します。": "しません。", "ありません": "あります",
           "ません": "ます", "必要です": "不要です"},
    "zh": {"不会": "会", "不能": "能", "不需要": "需要", "没有": "有", "可以": "不可以",
           "需要": "不需要", "会": "不会"},
    "ko": {"합니다": "하지 않습니다", "있습니다": "없습니다", "없습니다": "있습니다", "됩니다": "되지 않습니다"},
}
COMPARISON = {
    "ja": {"大きい": "小さい", "大きく": "小さく", "小さい": "大きい", "増え": "減り", "減り": "増え", "多い": "少ない",
           "多く": "少なく", "速い": "遅い", "速く": "遅く", "以上": "以下", "以下": "以上", "前に": "後に",
           "後に": "前に",
           "高い": "低い", "最初": "最後"},
    "zh": {"更多": "更少", "更少": "更多", "更大": "更小", "更快": "更慢", "减少": "增加", "增加": "减少",
           "之前": "之后",
           "之后": "之前", "以上": "以下", "最大": "最小", "第一": "最后", "较大": "较小"},
    "ko": {"더 많은": "더 적은", "더 빠": "더 느리", "이전": "이후", "이후": "이전", "이상": "이하", "먼저": "나중에",
           "첫 번째": "마지막", "증가": "감소", "감소": "증가"},
}
CONDITION = {
    "ja": re.compile(r"(?<=[。\n])[^。、\n`\[\]*]{3,40}(?:場合は|場合|とき|時|れば|たら|なら)、"),
    "zh": re.compile(r"(?:如果|若|只有|当)[^。，\n`\[\]*]{2,40}，"),
    "ko": re.compile(r"(?<=[.\n] )[^.,\n`\[\]*]{3,40}(?:하면|으면|려면|경우),? "),
}


def register_changed(sample: Sample, pick: random.Random) -> str | None:
    return replaced(sample, pick, REGISTER[sample.language]) if REGISTER[sample.language] else None


def negation_turned(sample: Sample, pick: random.Random) -> str | None:
    return replaced(sample, pick, NEGATION[sample.language])


def comparison_turned(sample: Sample, pick: random.Random) -> str | None:
    return replaced(sample, pick, COMPARISON[sample.language])


def condition_dropped(sample: Sample, pick: random.Random) -> str | None:
    found = places(sample.text, CONDITION[sample.language])
    return put(sample.text, *pick.choice(found).span(), "") if found else None


WITHOUT_MEANING: dict[str, Corrupt] = {
    "numbers swapped": numbers_swapped, "sentence dropped": sentence_dropped, "sentence added": sentence_added,
    "sentence said twice": sentence_twice, "unit changed": unit_changed, "name changed": name_changed,
    "cells swapped": cells_swapped, "width of a mark": width_changed, "sentence in another language": sentence_foreign,
    "links swapped": links_swapped, "code swapped": codes_swapped, "register changed": register_changed,
}
WITH_MEANING: dict[str, Corrupt] = {
    "negation turned": negation_turned, "comparison turned": comparison_turned, "condition dropped": condition_dropped,
}
KINDS = WITHOUT_MEANING | WITH_MEANING


def corruptions(samples: Sequence[Sample], wanted: int, pick: random.Random) -> Iterator[tuple[str, int, str]]:
    """Corruptions of as many kinds as there are: the kind, the number of the sample, its new text."""
    order = {kind: pick.sample(range(len(samples)), len(samples)) for kind in KINDS}
    made, seen = 0, set[str]()
    while made < wanted and any(order.values()):
        for kind, corrupt in KINDS.items():
            while order[kind] and made < wanted:
                number = order[kind].pop()
                new = corrupt(samples[number], pick)
                if new is not None and new != samples[number].text and new not in seen:
                    seen.add(new)
                    made += 1
                    yield kind, number, new
                    break
