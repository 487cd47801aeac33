"""Fences with words after their language, as `python out`: Python-Markdown takes no such fence for one.

The words become an attribute, ` ``` {.python data-info="out"}`, and the title among them a title; each goes back.
"""

import re

from hexapla.convert.model import Take
from hexapla.pages.lines import FENCE_MARK, read

LANGUAGE = r"(?P<marks>`{3,}|~{3,})(?P<language>[\w#.+-]+)"
WORDS = re.compile(LANGUAGE + r" (?P<words>\S.*?)(?P<end>\s*)$")
OPTIONS = re.compile(r"(?:[a-zA-Z]\w*=(?P<quote>[\"']).*?(?P=quote)(?:[ \t]+|$))+")
TITLE = re.compile(r"(?<!\S)title=\"[^\"]*\"")
WRITTEN = re.compile(
    r"(?P<marks>`{3,}|~{3,}) \{\.(?P<language>[\w#.+-]+)(?: title=\"[^\"]*\")?"
    r" data-info=(?P<quote>[\"'])(?P<words>.*)(?P=quote)\}(?P<end>\s*)$"
)


def write_info(text: str, note: Take) -> str:
    """The page with the words of its fences as attributes."""
    done, fence = [], -1
    for line in read(text):
        opens = line.kind is FENCE_MARK and line.fence != fence
        fence = line.fence if opens else fence
        match = WORDS.search(line.text) if opens else None
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
        written = f"{match['marks']} {{.{match['language']}{title} data-info={quote}{words}{quote}}}{match['end']}"
        done.append(line.text[: match.start()] + written)
    return "".join(done)


def restore_info(text: str) -> str:
    """The page with the words of its fences behind their language again."""
    done = []
    for line in read(text):
        match = WRITTEN.search(line.text) if line.kind is FENCE_MARK else None
        done.append(
            f"{line.text[: match.start()]}{match['marks']}{match['language']} {match['words']}{match['end']}" if match
            else line.text
        )
    return "".join(done)
