"""Replace what must not change by placeholders before a model sees it, and validate the model's answer."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hexapla.pages.invisible import HIDDEN
from hexapla.pages.verbatim import find_verbatim

PLACEHOLDER = re.compile(r"\[\[(\d+)\]\]")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*%?")
STRAY = re.compile(rf"{HIDDEN.pattern}|[\t\r\ufffd]")  # a page may have these three; a sentence has no use for them
MARKUP = re.compile(r"[<>`]|\]\(|\]\[|https?:|\{[#.]")
LONGEST = 6  # a translation is at most so many times as long as its source, short ones apart


class UntrustedAnswer(ValueError):
    """A model's answer that cannot be used; the message says why, `text` is the whole of it where there is one."""

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(reason)
        self.text = text


class ProtectedText(NamedTuple):
    """A message with `[[0]]`, `[[1]]`, ... in place of the texts in `kept`, which are as the translation has them."""

    text: str
    kept: tuple[str, ...]


def protect_all(text: str, terms: Mapping[str, str]) -> ProtectedText:
    """Replace code, targets of links, HTML, numbers and terms of the glossary by placeholders."""
    renderings = {term.lower(): rendering for term, rendering in terms.items()}
    words = "|".join(re.escape(word) for word in sorted(renderings, key=len, reverse=True))
    shapes = [f"(?P<term>(?<![A-Za-z0-9_-])(?:{words})(?![A-Za-z0-9_-]))"] if words else []
    return protect_text(text, re.compile("|".join([*shapes, NUMBER.pattern, PLACEHOLDER.pattern]), re.I), renderings)


def protect_markup(text: str) -> ProtectedText:
    """Replace code, targets of links and HTML by placeholders: for a model that is told what they stand for."""
    return protect_text(text, PLACEHOLDER, {})


def protect_text(text: str, prose: re.Pattern[str], renderings: Mapping[str, str]) -> ProtectedText:
    """Replace what is not prose, and what `prose` finds in the rest; the terms among it by their renderings."""
    kept: list[str] = []

    def keep_text(piece: str) -> str:
        kept.append(piece)
        return f"[[{len(kept) - 1}]]"

    def keep_match(match: re.Match[str]) -> str:
        found = match.groupdict().get("term")
        return keep_text(renderings[found.lower()] if found else match.group())

    made, position = [], 0
    for verbatim in find_verbatim(text):
        end = verbatim.end()
        closed = end + (verbatim.group().startswith("](") and text[end : end + 1] == ")")
        made += [prose.sub(keep_match, text[position : verbatim.start()]), keep_text(text[verbatim.start() : closed])]
        position = closed
    return ProtectedText("".join([*made, prose.sub(keep_match, text[position:])]), tuple(kept))


def protect_likewise(text: str, kept: Sequence[str]) -> str:
    """A text beside a protected one, with the same placeholders where it has the same code, links and HTML."""
    own = protect_markup(text)

    def keep_known(match: re.Match[str]) -> str:
        piece = own.kept[int(match[1])]
        return f"[[{kept.index(piece)}]]" if piece in kept else piece

    return PLACEHOLDER.sub(keep_known, own.text)


def restore_kept(protected: ProtectedText, answer: str) -> str:
    """Put the kept texts back into an answer. Raises UntrustedAnswer for one that cannot be used."""
    text = answer.strip()
    if not PLACEHOLDER.sub("", text).strip() and PLACEHOLDER.sub("", protected.text).strip():
        raise UntrustedAnswer("the model gave back nothing")
    found = sorted(int(number) for number in PLACEHOLDER.findall(text))
    if found != list(range(len(protected.kept))):
        raise UntrustedAnswer("the model lost or doubled code, a link, a number or a term")
    words = PLACEHOLDER.sub("", text)
    if stray := STRAY.search(words):
        raise UntrustedAnswer(f"the model gave back the character U+{ord(stray.group()):04X}")
    if "\n" in words and "\n" not in protected.text:
        raise UntrustedAnswer("the model gave back several lines for one")
    if (markup := MARKUP.search(words)) and markup.group() not in PLACEHOLDER.sub("", protected.text):
        raise UntrustedAnswer(f"the model gave back markup, {markup.group()!r}, that the source does not have")
    if len(text) > LONGEST * max(len(protected.text), 40):
        raise UntrustedAnswer("the model gave back far more than it was given")
    return PLACEHOLDER.sub(lambda match: protected.kept[int(match[1])], text)
