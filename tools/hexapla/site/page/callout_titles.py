"""A call-out without a title has that of its kind in the page's language; Python-Markdown has English ones alone."""

import re
from collections.abc import Sequence

from hexapla.pages.lines import PROSE, Line
from hexapla.site.texts.strings import sentences_of

UNTITLED = re.compile(r"(?P<head>[ \t]*(?:!!!|\?\?\?\+?)[ \t]*(?P<kind>[a-z]+)(?:[ \t]+[\w-]+)*)[ \t]*$")
NAME = "callout-"  # before its kind, the name of a title among the site's sentences


def add_callout_titles(lines: Sequence[Line], language: str) -> Sequence[Line]:
    """A page's lines; a call-out keeps the title that it has, and the kind that a language has no word for."""
    if language == "en":
        return lines
    words, found = sentences_of(language), []
    for line in lines:
        body = line.text.rstrip("\r\n")
        match = UNTITLED.match(body) if line.kind is PROSE else None
        if match and (title := words.get(NAME + match["kind"])):
            line = line._replace(text=f'{match["head"]} "{title}"{line.text[len(body):]}')
        found.append(line)
    return found
