"""Markup that would run a script or load a page into the page is carried over without its effect."""

import re
from html import unescape

from hexapla.convert.conversion_records import Take
from hexapla.convert.prose import (
    KEPT,
    MARK,
    VERBATIM,
    change_prose,
    keep_match,
    keep_original,
    line_at,
    replace_outside_code,
)
from hexapla.pages.html_vocabulary import RUNS, SCRIPTED

NAMES = "|".join(sorted(RUNS))
TAG = re.compile(VERBATIM + rf"|</?(?P<runs>{NAMES})\b[^<>]*>|<(?P<tag>[A-Za-z][\w:-]*)(?P<attributes>\s[^<>]*)>", re.I)
ATTRIBUTE = re.compile(r"(?P<name>(?<![\w:-])[A-Za-z][\w:-]*)(?P<is>\s*=\s*)(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"'>]+)")
OPENING = r"(?P<opening>\][(:]\s{0,20}<?|<"
TARGET = re.compile(OPENING + r"(?=[A-Za-z&]))(?=(?P<target>[^\n<>]{1,200}))")
PREFIX = "data-inert-"
SCHEME = "inert:"
SUSPECT = re.compile(rf"<(?:{NAMES})\b|[\s\"'/]on\w+\s*=|script\s*:|data\s*:|&#|&colon", re.I)


def make_inert(text: str, note: Take) -> str:
    """A page in which nothing runs: tags become comments, attributes and addresses lose their names."""
    if not SUSPECT.search(text):
        return text
    return change_prose(text, lambda run, first: TARGET.sub(
        lambda match: disarm_target(match, first, note),
        replace_outside_code(TAG, lambda match, line: disarm_tag(match, line, note), run, first),
    ))


def disarm_tag(match: re.Match[str], line: int, note: Take) -> str:
    """A tag without its effect."""
    if match["runs"]:
        if not match.group().startswith("</"):
            name = match["runs"].lower()
            note(f"<{name}>", line, f"<{name}> would run or load something; it is kept as a comment")
        return keep_original(match.group())
    attributes = ATTRIBUTE.sub(lambda found: disarm_attribute(found, line, note), match["attributes"])
    return f"<{match['tag']}{attributes}>"


def disarm_attribute(match: re.Match[str], line: int, note: Take) -> str:
    """An attribute whose name says nothing to a browser, if it would run a script."""
    name = match["name"].lower()
    if not (name.startswith("on") or name == "srcdoc" or SCRIPTED.match(unescape(match["value"].strip("\"'")))):
        return match.group()
    note("script-attribute", line, f"the attribute {name} would run a script; it is renamed {PREFIX}{name}")
    return PREFIX + match.group()


def disarm_target(match: re.Match[str], first: int, note: Take) -> str:
    """The target of a link that leads nowhere, if it would run a script."""
    if not SCRIPTED.match(unescape(match["target"])):
        return match.group()
    note("script-link", line_at(match.string, match.start(), first), "a link would run a script; it leads nowhere now")
    return match["opening"] + SCHEME


RENAMED = re.compile(rf"(?<![\w:-]){PREFIX}(?=[A-Za-z][\w:-]*\s*=)")
MOVED = re.compile(OPENING + f"){SCHEME}")


def restore_markup(text: str) -> str:
    """The page as it was before `make_inert`."""
    if "inert" not in text and MARK not in text:
        return text

    def restore_tag(run: str, first: int) -> str:
        run = KEPT.sub(lambda match: keep_match(match.group()), run)
        return MOVED.sub(lambda match: match["opening"], RENAMED.sub("", run))

    return change_prose(text, restore_tag, comments=True)
