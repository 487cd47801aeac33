"""Fences with words after their language, as `python out`: Python-Markdown takes no such fence for one.

The words become an attribute, ` ``` {.python data-info="out"}`, and the title among them a title; each goes back.
"""

import re

from hexapla.convert.model import Take
from hexapla.pages.lines import FENCE_MARK, read

MARKS = r"(?P<marks>[ \t>]*(?:`{3,}|~{3,}))"
WORDS = re.compile(MARKS + r"(?P<language>[\w#.+-]+) (?P<words>\S.*)")
OPTIONS = re.compile(r"(?:[a-zA-Z]\w*=(?:\"[^\"]*\"|'[^']*')(?:[ \t]+|$))+")
TITLE = re.compile(r"(?<!\S)title=\"[^\"]{0,200}\"")
WRITTEN = re.compile(
    MARKS + r" \{\.(?P<language>[\w#.+-]+)(?: title=\"[^\"]*\")? data-info=(?P<quote>[\"'])(?P<words>.*)(?P=quote)\}"
)


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
        quote = next((each for each in "\"'" if each not in words), "")
        if not quote:
            note("fence-info", line.number, f"the words {words[:60]} after a language hold both quotation marks")
            done.append(line.text)
            continue
        title = f" {found[0]}" if (found := TITLE.search(words)) else ""
        written = f"{match['marks']} {{.{match['language']}{title} data-info={quote}{words}{quote}}}"
        done.append(written + line.text[len(bare) :])
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
