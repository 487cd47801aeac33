"""Characters that nobody sees, or that pass for another: what a page says to a program is not what its reader reads."""

import re
from collections.abc import Iterator

from hexapla.checks.context import Case, Found
from hexapla.checks.letters import SCRIPTS
from hexapla.pages.hidden import RUNS

# Of no width, or a space that is none: first and last of each run.
BLANK = (
    ("\u034f", "\u034f"), ("\u061c", "\u061c"), ("\u115f", "\u1160"), ("\u180e", "\u180e"), ("\u200b", "\u200f"),
    ("\u2028", "\u2029"), ("\u2060", "\u2064"), ("\u206a", "\u206f"), ("\u3164", "\u3164"), ("\ufeff", "\ufeff"),
    ("\uffa0", "\uffa0"), ("\ufff9", "\ufffb"), ("\U000e0000", "\U000e007f"),
)
UNSEEN = re.compile(f"[{''.join(f'{first}-{last}' for first, last in (*RUNS, *BLANK))}]")
JOINING = frozenset("\u061c\u200b\u200c\u200d\u200e\u200f")
# Scripts that read from the right, whose letters are joined or kept apart, or whose lines break where no space is.
JOINED = "[\u0590-\u109f\u1780-\u18af\ua840-\ua87f\ufb1d-\ufdff\ufe70-\ufefc]"
PICTURE = "[\u2190-\u2bff\ufe0f\u3030-\u303d\U0001f000-\U0001faff]"
TAG = "[\U0001f3f4\U000e0020-\U000e007f]"  # of the flags of England, Scotland and Wales
MARKS = frozenset("*~")  # a break of no width lets emphasis close beside a letter
LOOKALIKE = "[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]"
CYRILLIC_LETTER = re.compile("[\u0400-\u04ff]")
CYRILLIC = frozenset(code for code, letters in SCRIPTS.items() if letters == SCRIPTS["ru"])


def unseen(case: Case) -> Iterator[Found]:
    """Such characters, one finding a line."""
    text = case.page.text
    said = 0
    for match in UNSEEN.finditer(text):
        line, column = place(text, match.start())
        if line != said and not meant(text, match.start()):
            said = line
            yield Found("character-hidden", f"U+{ord(match[0]):04X} stands here and nobody sees it", "take it out",
                        line, column, key=match[0])
    if not text.isascii() and re.split("[-_]", case.document.language.lower())[0] not in CYRILLIC:
        yield from lookalikes(case)


def lookalikes(case: Case) -> Iterator[Found]:
    """Words of Latin and Cyrillic letters, which look alike and are not."""
    for match in re.finditer(LOOKALIKE, case.page.text) if CYRILLIC_LETTER.search(case.page.text) else ():
        other = next(letter for letter in match[0] if not letter.isascii())
        line, column = place(case.page.text, match.start() + match[0].index(other))
        yield Found("character-hidden", f"the Cyrillic letter U+{ord(other):04X} stands in a Latin word: {match[0]!r}",
                    "write the Latin letter", line, column, key=match[0])


def meant(text: str, place: int) -> bool:
    """Whether a character does its work where it stands: in an emoji, a script that joins letters, beside a mark."""
    character, beside = text[place], text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
    if character == "\ufeff":
        return place == 0
    if re.match(TAG, character):
        return bool(re.match(TAG, text[place - 1])) if place else False
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    if character in JOINING:
        return bool(re.search(JOINED, text[start : end if end >= 0 else len(text)])) or (
            bool(re.search(PICTURE, beside)) if character == "\u200d" else not MARKS.isdisjoint(beside))
    return character == "\u2060" and not MARKS.isdisjoint(beside)


def place(text: str, offset: int) -> tuple[int, int]:
    """The line and column of an offset."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, offset - max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset))
