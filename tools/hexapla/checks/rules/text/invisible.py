"""Characters that nobody sees, or that pass for another: what a page says to a program is not what its reader reads."""

import re
from collections.abc import Iterator

from hexapla.checks.context import RuleContext, Violation
from hexapla.languages import CYRILLIC, LETTERS, base
from hexapla.pages import Page
from hexapla.pages.invisible import RUNS
from hexapla.pages.lines import COMMENT, Closes, read

# Of no width, or a space that is none: first and last of each run.
BLANK = (
    ("\u034f", "\u034f"), ("\u061c", "\u061c"), ("\u115f", "\u1160"), ("\u180e", "\u180e"), ("\u200b", "\u200f"),
    ("\u2060", "\u2064"), ("\u206a", "\u206f"), ("\u3164", "\u3164"), ("\ufeff", "\ufeff"),
    ("\uffa0", "\uffa0"), ("\ufff9", "\ufffb"), ("\U000e0000", "\U000e007f"),
)
UNSEEN = re.compile(f"[{''.join(f'{first}-{last}' for first, last in (*RUNS, *BLANK))}]")
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TAGS = frozenset(map(chr, range(0xE0000, 0xE0080)))  # letters that nobody sees and a model reads
JOINING = frozenset("\u061c\u200b\u200c\u200d\u200e\u200f")
# Scripts that read from the right, whose letters are joined or kept apart, or whose lines break where no space is.
JOINED = "[\u0590-\u109f\u1780-\u18af\ua840-\ua87f\ufb1d-\ufdff\ufe70-\ufefc]"
PICTURE = "[\u2190-\u2bff\ufe0f\u3030-\u303d\U0001f000-\U0001faff]"
TAG = "[\U0001f3f4\U000e0020-\U000e007f]"  # of the flags of England, Scotland and Wales
MARKS = frozenset("*~")  # a break of no width lets emphasis close beside a letter
LOOKALIKE = "[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]"
CYRILLIC_LETTER = re.compile("[\u0400-\u04ff]")
CYRILLIC_LANGUAGES = frozenset(code for code, letters in LETTERS.items() if letters == CYRILLIC)


def unseen(context: RuleContext) -> Iterator[Violation]:
    """Such characters, one finding a line, but where they do no harm.

    In a block of code those that the text names do none, in `ansi` an escape, in a comment any but letters that nobody
    sees. What turns the direction round shows a program that is not the one which runs: there it is always one.
    """
    page = context.page
    if found := set(UNSEEN.findall(page.text)):
        text = "\n".join([*(each.text for each in page.blocks), *(each.text for each in page.codes)])
        named = {ord(each): " " for each in found.difference(TURNING)
                 if re.search(rf"(?:U\+|\\u\{{?|&#x){ord(each):04X}(?![0-9A-F])", text, re.I)}
        examples: dict[int, dict[int, str]] = {}
        for fence in page.fences:
            meant_there = {**named, 0x1B: " "} if fence.language.startswith("ansi") else named
            examples |= dict.fromkeys(range(fence.line, fence.end_line or len(page.lines)), meant_there)
        harmless = {ord(each): " " for each in found - TURNING - TAGS}
        closes = context.tree.layout.closes_fence(context.document.path)
        examples |= dict.fromkeys(comment_lines(page, closes), harmless)
        for number, line in enumerate(page.lines, 1):
            yield from first_unseen(line.translate(examples.get(number, {})), number)
    if not context.page.text.isascii() and base(context.document.language) not in CYRILLIC_LANGUAGES:
        yield from find_lookalikes(context)


def comment_lines(page: Page, closes: Closes) -> Iterator[int]:
    """The numbers of the lines that are an HTML comment's alone; some renderers show one that nothing closes."""
    last = page.text.count("\n", 0, page.text.rfind("-->") + 1) + ("-->" in page.text)
    return (line.number for line in read(page.text, closes) if line.kind is COMMENT and line.number <= last)


def first_unseen(line: str, number: int) -> Iterator[Violation]:
    """The first of a line that does no work there."""
    joined = bool(re.search(JOINED, line)) if UNSEEN.search(line) else False
    for match in UNSEEN.finditer(line):
        is_mark = number == 1 and match.start() == 0 and match[0] == "\ufeff"
        if not is_mark and not is_meant(line, match.start(), joined):
            yield Violation("character-hidden", match[0], f"U+{ord(match[0]):04X} stands here and nobody sees it",
                            "take it out", number, match.start() + 1)
            return


def find_lookalikes(context: RuleContext) -> Iterator[Violation]:
    """Words of Latin and Cyrillic letters, which look alike and are not."""
    if not CYRILLIC_LETTER.search(context.page.text):
        return
    for number, line in enumerate(context.page.lines, 1):
        for match in re.finditer(LOOKALIKE, line):
            other = next(letter for letter in match[0] if not letter.isascii())
            yield Violation("character-hidden", match[0],
                            f"the Cyrillic letter U+{ord(other):04X} stands in a Latin word: {match[0]!r}",
                            "write the Latin letter", number, match.start() + match[0].index(other) + 1)


def is_meant(line: str, place: int, joined: bool) -> bool:
    """Whether a character does its work where it stands: in an emoji, a script that joins letters, beside a mark."""
    character, beside = line[place], line[max(place - 1, 0) : place] + line[place + 1 : place + 2]
    if re.match(TAG, character):
        return bool(re.match(TAG, line[place - 1])) if place else False
    if character in JOINING:
        return joined or (
            bool(re.search(PICTURE, beside)) if character == "\u200d" else not MARKS.isdisjoint(beside))
    return character == "\u2060" and not MARKS.isdisjoint(beside)
