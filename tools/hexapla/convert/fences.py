"""Fences that two dialects read otherwise: those that longer marks end, and those with words after their language.

Python-Markdown takes no fence with words, as `python out`, for one. The words become an attribute,
` ``` {.python data-info="out"}`, and the title among them a title; each goes back.
"""

import re

from hexapla.convert.conversion_records import Take
from hexapla.pages.lines import FENCE, FENCE_MARK, Closes, closes_longer, read

MARKS = r"(?P<marks>[ \t>]*(?:`{3,}|~{3,}))"
WORDS = re.compile(MARKS + r"(?P<language>[\w#.+-]+) (?P<words>\S.*)")
OPTIONS = re.compile(r"(?:[a-zA-Z]\w*=(?:\"[^\"]*\"|'[^']*')(?:[ \t]+|$))+")
TITLE = re.compile(r"(?<!\S)title=\"[^\"]{0,200}\"")
WRITTEN = re.compile(
    MARKS + r" \{\.(?P<language>[\w#.+-]+)(?: title=\"[^\"]*\")? data-info=(?P<quote>[\"'])(?P<words>.*)(?P=quote)\}"
)


def portable_fences(text: str, closes_fence: Closes, note: Take) -> str:
    r"""The page with marks that end each fence on the same line in every dialect; `closes_fence` is the page's own.

    >>> portable_fences("```\na\n````\n", closes_longer, print)
    fence-marks 1 longer marks than those of this fence end it, or stand in it; it has marks of one length now
    '````\na\n````\n'
    """
    lines = list(read(text, closes_fence))
    fences: dict[int, list[int]] = {}  # the places of a fence's lines
    for place, line in enumerate(lines):
        if line.fence >= 0:
            fences.setdefault(line.fence, []).append(place)
    done = [line.text for line in lines]
    for opening, *inside, closing in (each for each in fences.values() if len(each) > 1):
        match = FENCE.match(lines[opening].text.rstrip("\r\n"))
        if match is None or lines[closing].kind is not FENCE_MARK:  # nothing closes it
            continue
        marks, ends = match["marks"], lines[closing].text.strip(" \t>\r\n")
        within = [len(lines[place].text.strip(" \t>\r\n")) for place in inside
                  if closes_longer(marks, lines[place].text)]
        length = max([len(ends), *(count + 1 for count in within)])
        if length != len(marks):
            note("fence-marks", lines[opening].number, "longer marks than those of this fence end it, or stand in it; "
                 "it has marks of one length now")
            for place, old in ((opening, marks), (closing, ends)):
                done[place] = lines[place].text.replace(old, marks[0] * length, 1)
    return "".join(done)


def write_info(text: str, note: Take) -> str:
    """The page with the words of its fences as attributes."""
    done, fence = [], -1
    for line in read(text):
        opens = line.kind is FENCE_MARK and line.fence != fence
        fence = line.fence if opens else fence
        bare = line.text.rstrip()
        match = WORDS.fullmatch(bare) if opens else None
        if not match or OPTIONS.fullmatch(match["words"]):
            done.append(line.text)
            continue
        words = match["words"]
        if quote := next((each for each in "\"'" if each not in words), ""):
            title = f" {found[0]}" if (found := TITLE.search(words)) else ""
            written = f"{match['marks']} {{.{match['language']}{title} data-info={quote}{words}{quote}}}"
            done.append(written + line.text[len(bare) :])
        else:
            note("fence-info", line.number, f"the words {words[:60]} after a language hold both quotation marks")
            done.append(line.text)
    return "".join(done)


def restore_info(text: str) -> str:
    """The page with the words of its fences behind their language again."""
    done = []
    for line in read(text):
        bare = line.text.rstrip()
        match = WRITTEN.fullmatch(bare) if line.kind is FENCE_MARK else None
        done.append(
            f"{match['marks']}{match['language']} {match['words']}{line.text[len(bare):]}" if match else line.text
        )
    return "".join(done)
