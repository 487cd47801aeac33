"""A call-out without a title has that of its kind in the page's language; Python-Markdown has English ones alone."""

import re

from hexapla.pages.lines import PROSE, read
from hexapla.site.texts.strings import sentences

UNTITLED = re.compile(r"(?P<head>[ \t]*(?:!!!|\?\?\?\+?)[ \t]*(?P<kind>[a-z]+)(?:[ \t]+[\w-]+)*)[ \t]*$")
NAME = "callout-"  # before its kind, the name of a title among the site's sentences


def with_callout_titles(markdown: str, language: str) -> str:
    """A page's Markdown; a call-out keeps the title that it has, and the kind that a language has no word for."""
    words = sentences(language)
    if language == "en" or ("!!!" not in markdown and "???" not in markdown):
        return markdown
    return "".join(titled(line.text, words) if line.kind is PROSE else line.text for line in read(markdown))


def titled(line: str, words: dict[str, str]) -> str:
    """A line, with a title if it opens a call-out without one."""
    body = line.rstrip("\r\n")
    match = UNTITLED.match(body)
    title = words.get(NAME + match["kind"], "") if match else ""
    return f'{match["head"]} "{title}"{line[len(body):]}' if match and title else line
