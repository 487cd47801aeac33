"""The words of a section as a translator reads them: white space, wrapping and link targets make no difference."""

import re
from collections.abc import Iterable

from hexapla.pages.blocks import DELIMITER, FRONT_MATTER, INCLUDE, SourceBlock
from hexapla.pages.lines import PROSE
from hexapla.pages.verbatim import replace_verbatim

LEAD = re.compile(r"[ \t>]*(?P<bullet>[*+](?=[ \t]))?")
CELLS = re.compile(r"(?:(?<![ \t])[ \t]++)?+(?<!\\)\|[ \t]*")  # white space is tried once, from its start
TARGET = re.compile(r"""\b(href|src|srcset|poster)[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|[^\s>]+)""")
TAG = re.compile(r"</?[A-Za-z][^<>:=]*(?:[\s=/>])")


def words(blocks: Iterable[SourceBlock]) -> tuple[str, ...]:
    """The words of all prose lines and of the front matter's values that a reader sees."""
    return tuple(replace_verbatim(verbatim, "\n".join(filter(None, map(plain, blocks)))).split())


def plain(block: SourceBlock) -> str:
    """A line without what only lays it out; "" for one that is no prose."""
    line = block.line
    if block.kind is FRONT_MATTER:
        return line.text.partition(":")[2].strip(" \t\r\n\"'") if block.words else ""
    if line.kind is not PROSE or INCLUDE in line.text or block.kind is DELIMITER:
        return ""
    text = line.text.rstrip()
    lead = LEAD.match(text)
    if lead:
        text = ("-" if lead["bullet"] else "") + text[lead.end() :]
    return CELLS.sub(" | ", text) if text.startswith("|") else text


def verbatim(match: re.Match[str]) -> str:
    """What stays of a piece that is not prose: code and footnotes as they are, a link without where it leads."""
    piece = match.group()
    if piece.startswith(("`", "[^")):
        return piece
    if piece.startswith("]"):
        return "]("  # a word of text that has become a link, or is none any more, has changed
    return TARGET.sub(r"\1", piece) if TAG.match(piece) else ""
