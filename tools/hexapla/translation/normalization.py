"""The words of a section as a translator reads them: white space, wrapping and link targets make no difference."""

import re
from collections.abc import Iterable

from hexapla.pages.lines import Block, Line
from hexapla.pages.spans import SHOWN_META, VERBATIM

LEAD = re.compile(r"[ \t>]*(?P<bullet>[*+](?=[ \t]))?")
DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
CELLS = re.compile(r"[ \t]*(?<!\\)\|[ \t]*")
TARGET = re.compile(r"""\b(href|src|srcset|poster)[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|[^\s>]+)""")
TAG = re.compile(r"</?[A-Za-z][^<>:=]*(?:[\s=/>])")
INCLUDE = "8<-"


def words(lines: Iterable[Line]) -> tuple[str, ...]:
    """The words of all prose lines and of the front matter's values that a reader sees."""
    return tuple(VERBATIM.sub(verbatim, "\n".join(filter(None, map(plain, lines)))).split())


def plain(line: Line) -> str:
    """A line without what only lays it out; "" for one that is no prose."""
    if line.block is Block.FRONT:
        shown = SHOWN_META.match(line.text)
        return shown["value"].strip(" \t\r\n\"'") if shown else ""
    if line.block is not Block.PROSE or INCLUDE in line.text:
        return ""
    text = line.text.rstrip()
    lead = LEAD.match(text)
    if lead:
        text = ("-" if lead["bullet"] else "") + text[lead.end() :]
    if "|" in text and "-" in text and DELIMITER.fullmatch(text):
        return ""
    return CELLS.sub(" | ", text) if text.startswith("|") else text


def verbatim(match: re.Match[str]) -> str:
    """What stays of a piece that is not prose: code and footnotes as they are, a link without where it leads."""
    piece = match.group()
    if piece.startswith(("`", "[^")):
        return piece
    if piece.startswith("]"):
        return "]("  # a word of text that has become a link, or is none any more, has changed
    return TARGET.sub(r"\1", piece) if TAG.match(piece) else ""
