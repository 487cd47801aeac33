"""Marks of Markdown that the reader sees, and brackets that do not close."""

import re
from collections import Counter
from collections.abc import Iterator

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.checks.letters import is_chinese
from hexapla.pages import Block

OBJECT = "\ufffc"
LITERAL = re.compile(
    r"""(?P<strong>\*\*|__(?=[^\W_])|(?<=[^\W_])__)
      | (?P<strike>~~(?=\S))
      | (?P<link>\]\([^()\s]{1,300}\)|\]（[^（）\s]{1,300}）|(?<=\])\[[\w-]{1,60}\])
      | (?P<heading>^\#{1,6}(?=[ ]\S))
      | (?P<wide>＊＊|［[^［］]{1,100}］（)
      | (?P<emphasis>(?<![*\w])\*(?=[^\s*\d=)])|(?<=[^\s*])\*(?![*\w]))
    """,
    re.X,
)
ITEM = re.compile(r"[ \t]{0,3}(?:[-*+]|\d{1,2}[.)])[ \t]+\S")
NAMES = {"strong": "bold marks", "strike": "strike-out marks", "link": "a link's marks", "heading": "a heading's marks",
         "wide": "full-width marks", "emphasis": "an emphasis mark"}


def markup_literal(case: Case) -> Iterator[Found]:
    """Marks in the rendered text, unless the source shows as many."""
    shown = Counter(kind for block in case.original.blocks for kind, _ in literals(block)) if case.source else Counter()
    for block in case.page.blocks:
        for kind, text in dict(literals(block)).items():
            if shown[kind]:
                shown[kind] -= 1
                continue
            yield Found("markup-literal", f"the reader sees {NAMES[kind]}: {text!r}",
                        "put a space or a full stop where the mark meets a letter, or close the mark",
                        block.line, block.column, key=kind)
    yield from literal_lists(case)


def literals(block: Block) -> Iterator[tuple[str, str]]:
    """The kinds of marks that a block shows, with what stands around each."""
    if "*" not in block.text and "_" not in block.text and not LITERAL.search(block.text):
        return
    for match in LITERAL.finditer(block.text):
        kind = match.lastgroup or ""
        if kind == "emphasis" and block.text.count("*") % 2 == 0 and "* " in block.text:
            continue
        start = max(match.start() - 8, 0)
        yield kind, block.text[start : match.end() + 12]


def literal_lists(case: Case) -> Iterator[Found]:
    """Lines that look like items and stand in a paragraph: a blank line above the first is missing."""
    placed = {block.line for block in case.page.blocks if block.kind == "li"} | {one.line for one in case.page.lists}
    lines = case.page.text.splitlines()
    for block in case.page.blocks:
        if block.kind != "p" or not re.search(r"(?:^|\s)(?:[-*+]|\d{1,2}[.)])\s+\S", block.text):
            continue
        items = []
        for number in range(block.line, len(lines) + 1):
            if not lines[number - 1].strip():
                break
            if number > block.line and ITEM.match(lines[number - 1]) and number not in placed:
                items.append(number)
        if items and shows(block.text, lines[items[0] - 1]):
            yield Found("markup-literal", f"the list is none after rendering: {lines[items[0] - 1].strip()[:40]!r}",
                        "put a blank line above its first item", items[0], key="list")


def shows(text: str, line: str) -> bool:
    """Whether a rendered text has the beginning of a line in it, its mark too."""
    return line.strip()[:3].strip() in text


PAIRS = {")": "(", "）": "(", "]": "[", "］": "[", "}": "{", "｝": "{", "】": "【", "」": "「", "』": "『", "》": "《",
         "〉": "〈", "”": "“"}
OPENERS = {"（": "(", "［": "[", "｛": "{", **{mark: mark for mark in "([{【「『《〈“"}}
NO_BRACKET = re.compile(r"(?:^|(?<=[\s（(]))[\w\ufffc]{1,3}[)）](?=\s|\S)|[:;=8]-?[)(DP]|\(:|[（(]?[╯ツ].{0,10}")


def bracket_unbalanced(case: Case) -> Iterator[Found]:
    """Blocks with a bracket that has no partner where the source's section has none such."""
    quotes = is_chinese(case.document.language)
    open_here = [(block, lone) for block in case.page.blocks if (lone := unbalanced(block.text, quotes))]
    if not open_here:
        return
    allowed: dict[int, set[str]] = {}
    if case.source is not None:
        second_of = {a: b for a, b in align.sections(case.original, case.page)}
        for block in case.original.blocks:
            if lone := unbalanced(block.text, quotes):
                allowed.setdefault(second_of.get(case.original.section(block.line), -2), set()).update(lone)
    for block, lone in open_here:
        left = [mark for mark in lone if mark not in allowed.get(case.page.section(block.line), ())]
        if left:
            yield Found("bracket-unbalanced", f"{left[0]} has no partner in {block.text[:40]!r}",
                        "write the other bracket, or take this one out", block.line, block.column, key=left[0])


def unbalanced(text: str, quotes: bool = False) -> list[str]:
    """The kinds of brackets, by their opening one, that do not pair; full-width and ASCII ones pair with each other."""
    if text.isascii() and not any(mark in text for mark in "()[]{}"):
        return []
    stack: list[str] = []
    lone: list[str] = []
    for character in NO_BRACKET.sub(keep_pairs, text):
        if character in "“”" and not quotes:
            continue
        if opener := OPENERS.get(character):
            stack.append(opener)
        elif closer := PAIRS.get(character):
            if stack and stack[-1] == closer:
                stack.pop()
            elif closer in stack:
                while stack[-1] != closer:
                    lone.append(stack.pop())
                stack.pop()
            else:
                lone.append(closer)
    return lone + stack


def keep_pairs(match: re.Match[str]) -> str:
    """An enumerator such as `a)` counts as no bracket, unless its opening one stands before it."""
    before = match.string[: match.start()]
    opened = before.count("(") + before.count("（") > before.count(")") + before.count("）")
    return match[0] if opened else ""
