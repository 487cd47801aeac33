"""Marks of Markdown that the reader sees, and brackets that do not close."""

import re
from collections import Counter
from collections.abc import Iterator

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.memo import memoized
from hexapla.checks.rules.text.prose import find_readable, shortened
from hexapla.languages import is_chinese, own_letters
from hexapla.pages import Block

LITERAL = r"""(?x)(?<![\w./-])[./]*+(?:[\w-]++/|[\w-]++\.[\w-]++[./])(?:[\w-]++[./])*+\*\*(?![\w*])  # src/**, a.b.**
      | (?P<strong>(?<!\*)\*{2,5}(?!\*)
        |(?<![\dA-Za-z_])__(?:[^\x00-\x7F][^_]{0,80}|[^_]{1,80}[^\x00-\x7F])__(?![\dA-Za-z_]))  # no name: __init__
      | (?P<strike>~~(?=\S))
      | (?P<link>\]\([^()\s]{1,300}\)|\]（(?=[^（）\s]*[/.\#])[^（）\s]{1,300}）|(?<=\])\[[\w-]{1,60}\])
      | (?P<heading>^\#{1,6}(?=[ ]\S))
      | (?P<wide>＊＊|［[^［］]{1,100}］（|【[^【】]{1,100}】\((?=[^()\s]*[/.\#])
        |^＃{1,6}[ \u3000]?(?=\w)|^｜.*｜$|｀[^｀]{1,80}｀
        |^(?:！{3}|／{3}|：{3}))
      | (?P<id>[{｛]:?[ ]?[#＃][ ]?[\w-]{1,80}[ ]?(?:[}｝]|$))
      | (?P<code>(?<![`(\"'“「（])`|(?<=[(\"'“「（])`++(?![)\"'”」）]))  # but not (`), which names the mark
      | (?P<html>(?<!["'“])</?(?:a|b|br|code|details|div|em|i|kbd|p|span|strong|sub|summary|sup)[ ]?/?>(?!["'”])
        |&(?:lt|gt|amp|quot|nbsp|\#\d{1,6}|\#x[0-9A-Fa-f]{1,5});)
      | (?P<emphasis>(?<![*A-Za-z0-9_./-])\*(?=[^\s*)\]}.,;:!?])[^*]{1,80}(?<=[^\s*(\[{])\*(?!\*)
        | (?<=[\s、。，；：！？（「])\*(?=[^\W\d_A-Za-z]))  # where a block begins, it is a note's
      | (?P<opening>(?<=[\s、。，；：！？（「])\*[A-Za-z]\w*)
    """
MARKS = re.compile(r"[*_~#＃＊［【｜｀`<&]|！{3}|／{3}|：{3}|\]\(|\]\[|\]（")
HIDDEN_NAME = re.compile(r"\*+[^\W\d_A-Za-z]{1,2}")  # of somebody who gave: `**明`
INDEXED = re.compile(r"[A-Za-z0-9_]\[[^\[\]\s]{1,40}\]\[[^\[\]\s]{1,40}\]$")  # `scores[i][j]`
NOTE = re.compile(r"^[ \t]*\*[^\W\d_A-Za-z]", re.M)  # where a line begins, a star is a note's
ITEM = re.compile(r"[ \t]{0,3}(?P<mark>[-*+]|1[.)])[ \t]+\S")
IN_LINE = re.compile(r" (?:[-*+]|\d{1,2}[.)]) ")
# Written so that a mark is seen: behind a backslash, by its number, in a string of an expression in MDX, as the words
# of a link, or where C quotes what it asserts.
ESCAPED = re.compile(r"\\[*_~`<>\[\]{#]|&#\d|\{[ ]*['\"`]|\[#+\]\(|\bAssertion `")
MARKED = re.compile(r"[*_~`\[]")
NAMES = {"strong": "bold marks", "strike": "strike-out marks", "link": "a link's marks", "heading": "a heading's marks",
         "wide": "full-width marks", "id": "a heading's id", "code": "a backtick", "html": "HTML",
         "emphasis": "an emphasis mark", "opening": "an emphasis mark"}


def markup_literal(context: RuleContext) -> Iterator[Violation]:
    """Marks in the rendered text, unless the source shows as many."""
    shown: Counter[str] = Counter()
    if context.source is not None:
        shown.update(kind for _, kinds in literal_blocks(find_readable(context.original.blocks)) for kind in kinds)
    for block, kinds in literal_blocks(find_readable(context.page.blocks)):
        for kind, mark in kinds.items():
            if shown[kind]:
                shown[kind] -= 1
                continue
            written = written_block(context, block)
            if ESCAPED.search(written) or (kind == "opening" and is_pointer(context, mark[0])):
                continue  # its author meant it to be seen
            if kind == "link" and mark[0].startswith("[") and f"]{mark[0]}" not in written:
                continue  # two links whose words have brackets, or two notes
            if kind == "link" and INDEXED.search(block.text[: mark.end()]):
                continue
            if kind == "emphasis" and mark[0] == "*" and NOTE.search(written):
                continue
            if MARKED.search(block.text) and MARKED.sub(r"\\\g<0>", block.text) in context.page.text:
                continue  # each of its marks stands behind a backslash, on another line than its first words
            text = block.text[max(mark.start() - 8, 0) : mark.end() + 12]
            yield Violation("markup-literal", text, f"the reader sees {NAMES[kind]}: {text!r}",
                            "put a space or a full stop where the mark meets a letter, or close the mark",
                            block.line, block.column, shared=kind)
    yield from literal_lists(context)


def is_pointer(context: RuleContext, token: str) -> bool:
    """Whether `*int` is a name: in a script that has no such letters, on the source's page, or as the source has it."""
    return context.source is None or own_letters(context.document.language) is not None or (
        token in context.original.text)


def written_block(context: RuleContext, block: Block) -> str:
    """The lines of a block as they are written, up to the next empty one or the start of another block."""
    lines, starts, end = context.page.lines, starting_lines(context.page.blocks), block.line
    while end < len(lines) and lines[end].strip() and end + 1 not in starts:
        end += 1
    return "".join(lines[block.line - 1 : end])


@memoized
def starting_lines(blocks: tuple[Block, ...]) -> frozenset[int]:
    """The lines on which blocks start."""
    return frozenset(each.line for each in blocks)


@memoized
def literal_blocks(blocks: tuple[Block, ...]) -> list[tuple[Block, dict[str, re.Match[str]]]]:
    """The blocks that show marks, with the last of each kind."""
    found = []
    for block in blocks:
        is_markdown = block.kind != "attribute"  # what a component makes of marks there is its own matter
        hides = block.kind == "td" and HIDDEN_NAME.fullmatch(block.text)
        marks = re.finditer(LITERAL, block.text) if is_markdown and not hides and MARKS.search(block.text) else ()
        kinds = {match.lastgroup: match for match in marks if match.lastgroup}  # no path
        found += [(block, kinds)] if kinds else []
    return found


def literal_lists(context: RuleContext) -> Iterator[Violation]:
    """Lines that look like items and stand in a paragraph: a blank line above the first is missing."""
    doubtful = [block for block in context.page.blocks if block.kind == "p" and IN_LINE.search(block.text)]
    if not doubtful:
        return
    items = {block.line for block in context.page.blocks if block.kind == "li"}
    code = {fence.line for fence in context.page.fences}
    for block in doubtful:
        for number in range(block.line + 1, len(context.page.lines) + 1):
            line = context.page.lines[number - 1]
            if not line.strip() or number in code:
                break
            item = ITEM.match(line)
            if item and number not in items and item["mark"] in block.text:
                yield Violation("markup-literal", line.strip(),
                                f"the list is none after rendering: {line.strip()[:40]!r}",
                                "put a blank line above its first item", number, shared="list")
                break


PAIRS = {")": "(", "）": "(", "]": "[", "］": "[", "}": "{", "｝": "{", "】": "【", "」": "「", "』": "『", "》": "《",
         "〉": "〈", "”": "“"}
OPENERS = {"（": "(", "［": "[", "｛": "{", **{mark: mark for mark in "([{【「『《〈“"}}
BRACKET = re.compile("[" + re.escape("".join({*PAIRS, *OPENERS})) + "]")
# Half-open intervals, an enumerator, a), and faces.
NO_BRACKET = (
    r"\[[^()\[\],]{1,30},[^()\[\],]{1,30}\)|\([^()\[\],]{1,30},[^()\[\],]{1,30}\]"
    r"|^\w{1,2}[)）]|(?<=\s)(?:[0-9]{1,2}|[A-Za-z]|[ivx]{2,3})[)）]|[:;=8]-?[)(DP](?!\w)|\(:"
)


def bracket_unbalanced(context: RuleContext) -> Iterator[Violation]:
    """Blocks with a bracket that has no partner where the source's section has none such."""
    quotes = is_chinese(context.document.language)
    blocks = find_readable(context.page.blocks)
    open_here = [(block, lone) for block in blocks if (lone := unbalanced(block.text, quotes))]
    if not open_here:
        return
    allowed: dict[int, set[str]] = {}
    if context.source is not None:
        second_of = alignment.matched_sections(context.original, context.page)
        for block in find_readable(context.original.blocks):
            if lone := unbalanced(block.text, quotes):
                allowed.setdefault(second_of.get(context.original.section(block.line), -2), set()).update(lone)
    for block, lone in open_here:
        left = [mark for mark in lone if mark not in allowed.get(context.page.section(block.line), ())]
        if left:
            yield Violation("bracket-unbalanced", f"{left[0]} {shortened(block.text)}",
                            f"{left[0]} has no partner in {block.text[:40]!r}",
                            "write the other bracket, or take this one out", block.line, block.column, shared=left[0])


def unbalanced(text: str, quotes: bool = False) -> list[str]:
    """The kinds of brackets, by their opening one, that do not pair; full-width and ASCII ones pair with each other."""
    if not BRACKET.search(text):
        return []
    stack: list[str] = []
    lone: list[str] = []
    waiting: Counter[str] = Counter()
    for character in BRACKET.findall(without_enumerators(text)):
        if character in "“”" and not quotes:
            continue
        if opener := OPENERS.get(character):
            stack.append(opener)
            waiting[opener] += 1
        elif waiting[PAIRS[character]]:
            while stack[-1] != PAIRS[character]:
                lone.append(stack.pop())
                waiting[lone[-1]] -= 1
            waiting[stack.pop()] -= 1
        else:
            lone.append(PAIRS[character])
    return lone + stack


def without_enumerators(text: str) -> str:
    """A text without half-open intervals, faces, and enumerators such as `a)` with no opening bracket before them."""
    found: list[str] = []
    position = opened = 0
    for match in re.finditer(NO_BRACKET, text):
        opened += bracket_balance(text[position : match.start()])
        interval = match[0][0] in "[(" and match[0][-1] in ")]"
        found += [text[position : match.start()], match[0] if opened > 0 and not interval else ""]
        opened += bracket_balance(match[0])
        position = match.end()
    return "".join([*found, text[position:]])


def bracket_balance(text: str) -> int:
    """How many more round brackets a text opens than it closes."""
    return text.count("(") + text.count("（") - text.count(")") - text.count("）")
