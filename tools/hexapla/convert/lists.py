"""What is inside a list item: indented by four spaces for each level here, by its item's mark in CommonMark.

A page whose lists Python-Markdown would take apart is indented as a whole, and a comment at its end says so. A list
right below a paragraph, none for Python-Markdown, has a comment and an empty line before it.
"""

import re
from collections.abc import Iterator

from hexapla.convert.conversion_records import Take
from hexapla.convert.prose import keep_original
from hexapla.pages.blocks import RULES
from hexapla.pages.lines import FENCE_MARK, FENCED, PROSE, Line, indentation, read

STEP = 4
ITEM = re.compile(r" *(?P<mark>(?:[-*+]|\d{1,9}[.)]) {1,4})(?=\S)")
# What a page that needs anything has: an item, or the first line of a paragraph, at such an indentation.
UNEVEN = re.compile(r"^(?: {4})*+ {1,3}(?:[-*+]|\d{1,9}[.)]) |\n[ \t]*\n(?: {4})*+ {1,3}(?! )\S", re.M)
NOTE = keep_original("lists")
COMMONMARK, HERE = 0, 1
# What begins a list at once below a paragraph in CommonMark; content further in may be code.
FIRST_ITEM = re.compile(r" {0,7}(?:[-*+]|1[.)]) {1,4}(?=\S)")
# What is no text of a paragraph, and what such a text may follow at once.
NO_TEXT = re.compile(r"\t|>|\||<|#{1,6}(?:\s|$)|\[\^|(?:[-*+]|\d{1,9}[.)])(?:\s|$)|[-=~`:*_+?!]{3}|\{")
HEAD = re.compile(r"[ ]*(?:!!!|\?\?\?|===)")
APART = keep_original("list")
BELOW = re.compile(rf"^ *{re.escape(APART)}\n\n", re.M)


def separate_lists(text: str) -> str:
    """The page with lists apart from the paragraphs that they follow at once. It is written as on this site already."""
    done: list[str] = []
    paragraph = -1  # the indentation of the paragraph that the line above is of
    free = True  # whether a paragraph may begin
    for line in read(text):
        bare, indent = line.text.strip(), indentation(line.text)
        item = FIRST_ITEM.match(line.text) if 0 <= paragraph <= indent < paragraph + STEP else None
        if item and line.kind is PROSE and not RULES.match(bare):
            done.append(f"{' ' * indent}{APART}\n\n")
        prose = line.kind is PROSE and bool(bare) and not NO_TEXT.match(bare)
        paragraph = (indent if free else paragraph) if prose and (free or paragraph >= 0) else -1
        free = not bare or bool(HEAD.match(line.text))
        done.append(line.text)
    return "".join(done)


def indent_lists(text: str, note: Take) -> str:
    """The page with its lists as Python-Markdown reads them, or as it is: it needs nothing, or would not come back."""
    line = first_shallow_line(text) if UNEVEN.search(text) else 0
    if not line:
        return text
    made = "".join(reindent_lists(text, COMMONMARK)) + (f"\n{NOTE}\n" if text.endswith("\n") else f"\n\n{NOTE}")
    if restore_lists(made) == text and not any(each.kind is FENCED and NOTE in each.text for each in read(made)):
        return made
    note("list-indent", line, "an item is indented by two or three spaces, and may leave its list here")
    return text


def restore_lists(text: str) -> str:
    """The page as it was before `indent_lists`."""
    bare = text.removesuffix(f"\n\n{NOTE}")
    if bare == text:
        before, _, after = text.rpartition(f"\n{NOTE}\n")
        bare = before + after
    return text if bare == text else "".join(reindent_lists(bare, HERE))


def first_shallow_line(text: str) -> int:
    """The number of the first line that is in an item for CommonMark and not for Python-Markdown, 0 for none."""
    blank = False
    for line, _, here in columns_of(text, COMMONMARK):
        shallow = indentation(line.text) < here
        if shallow and (blank or ITEM.match(line.text)) and line.kind is not FENCED:
            return line.number
        blank = not line.text.strip()
    return 0


def reindent_lists(text: str, side: int) -> Iterator[str]:
    """The lines of a page whose lists are indented as on one side, as they are on the other."""
    for line, before, after in columns_of(text, side):
        spaces = indentation(line.text)
        yield " " * (after - before) + line.text[min(max(before - after, 0), spaces):]


def columns_of(text: str, side: int) -> Iterator[tuple[Line, int, int]]:
    """Each line with the column where its item's content begins on this side and on the other, 0 outside of lists."""
    items: list[tuple[int, int]] = []  # for each that is open, where its content begins in CommonMark and here
    blank, fence = True, -1
    for line in read(text):
        bare = line.text.strip()
        if not bare:
            blank = True
            yield line, 0, 0
            continue
        indent = indentation(line.text)
        match = ITEM.match(line.text) if line.kind is PROSE and not RULES.match(line.text.rstrip("\n")) else None
        lazy = line.kind is PROSE and not blank and not match and bool(items) and indent < items[-1][side]
        inside = line.kind is FENCED or (line.kind is FENCE_MARK and line.fence == fence)
        while items and indent < items[-1][side] and not lazy and not inside:
            items.pop()
        columns = items[-1] if items and not lazy else (0, 0)
        yield line, columns[side], columns[1 - side]
        if match:
            there = indent + columns[COMMONMARK] - columns[side]
            items.append((there + len(match["mark"]), STEP * (len(items) + 1)))
        blank, fence = False, line.fence
