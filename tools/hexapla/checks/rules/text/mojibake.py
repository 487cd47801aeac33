"""Pages that are mojibake, and single signs of it on other pages."""

import re
from collections.abc import Iterator

from hexapla.checks.context import RuleContext, Violation
from hexapla.languages import FULL_WIDTH_MARKS, HAN, HANGUL, KANA
from hexapla.mojibake import garbled
from hexapla.pages import Page
from hexapla.pages.lines import ends_comment

# What decoders put in for bytes they cannot read, the same read once more as GBK, quotation marks and dashes read as
# Windows-1252, and letters that went through an encoding which has none of them.
SIGN = re.compile(r"\ufffd|(?:锟斤拷)+|â€[™œ\x9dš˜“”¦¢]|\?{4,}")

NOT_ASCII, EASTERN = re.compile(r"[^\x00-\x7f]"), re.compile(f"[{HAN}{KANA}{HANGUL}{FULL_WIDTH_MARKS}]")
FEW = 12  # East Asian letters of a text without other signs, of which any may be two of another encoding
LONGEST = 500_000  # characters that are looked at: some five seconds; signs are looked for in all


def mojibake(context: RuleContext) -> Iterator[Violation]:
    """The first line of a garbled page that is garbled by itself, else its first one; on others, each sign.

    A page whose lines are sound each, and whose text is without its code, is: two languages there may look like one
    that was misread.
    """
    reason = None if says_little(context.page.text) else garbled(context.page.text[:LONGEST])
    numbered = enumerate(context.page.lines, 1) if reason else ()
    line = next((number for number, line in numbered if not line.isascii() and garbled(line[:LONGEST])), 0)
    if not line and (reason is None or not garbled(text_without_fences(context.page)[:LONGEST])):
        yield from find_signs(context)
        return
    yield Violation("mojibake", "", f"the text is garbled: {reason}", "run `hexapla repair` on this page", line or 1)


def says_little(text: str) -> bool:
    """Whether all that is not ASCII in a text is a few letters of East Asia."""
    return len(text) < 40 * FEW and len(found := NOT_ASCII.findall(text)) < FEW and all(map(EASTERN.match, found))


def text_without_fences(page: Page) -> str:
    """The lines of a page that stand in no fence."""
    code = fenced_lines(page)
    return "".join(line for number, line in enumerate(page.lines, 1) if number not in code)


def fenced_lines(page: Page) -> set[int]:
    """The numbers of the lines of a page that stand in a fence."""
    return {number for fence in page.fences for number in range(fence.line, (fence.end_line or len(page.lines)) + 1)}


def find_signs(context: RuleContext) -> Iterator[Violation]:
    """Signs of damage that the source does not show too, one finding a line."""
    if context.source is None or not SIGN.search(context.page.text):
        return
    code = fenced_lines(context.page)
    for number, line in enumerate(context.page.lines, 1):
        found = next((sign for sign in SIGN.findall(line) if sign not in context.original.text), "")
        if found and (number in code or not (line.startswith("<!--") and ends_comment(line))):
            what = "U+FFFD, which stands for what could not be read" if found == "\ufffd" else repr(found)
            yield Violation("mojibake", found, f"the text is damaged here: {what}", "write the words that were lost",
                            number, line.index(found) + 1)
