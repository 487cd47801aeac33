"""Code blocks and inline code: as many as in the source, and the same but for what a translator may translate."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator
from functools import cache, lru_cache
from itertools import chain
from operator import attrgetter

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation, absent
from hexapla.checks.memo import memoized
from hexapla.checks.rules.code.equivalence import INDENTATION, NESTING, first_difference, same_language
from hexapla.checks.rules.code.fixes import code_fix
from hexapla.examples.page_blocks import read_attributes
from hexapla.languages import own_letters
from hexapla.pages import Code, Fence, Page
from hexapla.pages.evidence_references import OPENING
from hexapla.pages.lines import CODE, Closes, read
from hexapla.sequences import opcodes

NAME = re.compile(r"\w+")
# What stands before a command: of a shell with its environment or its user and place, of Python, of PowerShell, of the
# client of a database.
PROMPTS = (
    r"(?:\([\w.-]{1,40}\) ?)?[$#%>]", r"\[?[\w.-]{1,40}@[^\s$#%]{1,80} ?[^\s$#%]{0,80}[$#%]", ">>>", r"\.{3}",
    r"ps [^\s>]{1,80}>", r"\w[\w.-]{0,40}>", "iotdb >",
)
PROMPT = re.compile(rf"[ \t]{{0,40}}(?:{'|'.join(PROMPTS)})[ \t]")
SAID = re.compile(r"\w+|[^\w\s]")  # names and operators
FRAME = str.maketrans("│┃║", "|||", "─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬")  # of a table in an output
AROUND = re.compile(r" ?([=<>,:()\[\]{}+*/|]) ?")
MARK = re.compile(r"[ \t]*(?:`{3}|~{3})")
# A line that is no code: five words or an East Asian sentence, with a full stop at most.
SENTENCE = re.compile(r"\w[^\W\d_]*(?:[ ,][\w'][\w'-]*){4,}[^{}();=<>]*|[\u3040-\u9fff\uac00-\ud7a3][^{}();=<>]+")
ATTRIBUTE = re.compile(r"""<[A-Z][^<>\n]*?=["']([^"'\n]+)""")  # the first of a component
FENCE_MARK = re.compile(rf"^{MARK.pattern}", re.M)
MARKDOWN = {"", "md", "mdx", "markdown", "vue", "astro", "html"}  # whose code has sentences
ALIKE = 0.3  # the score of blocks that may stand for each other
LOOKED_UP = 200  # pieces of inline code that are looked for in the text of both pages
FENCED, INLINE, ADDRESS = attrgetter("content"), attrgetter("text"), attrgetter("target")
Pair = tuple[Fence | None, Fence | None]
Pairs = list[Pair]
FEW = 8  # names by which a block is known


@memoized
def fence_pairs(source: Page, target: Page) -> Pairs:
    """The code blocks that stand for each other: in order where all of them may, else by content."""
    if len(source.fences) == len(target.fences):
        pairs: Pairs = list(zip(source.fences, target.fences, strict=True))
        if all(a and b and (a.content == b.content or fence_score(a, b) > 0.15) for a, b in pairs):
            return pairs
    there = alignment.matched_sections(source, target)
    return alignment.align(source.fences, target.fences, lambda one, other: fence_score(one, other) + ALIKE * (
        there.get(source.section(one.line)) == target.section(other.line)), ALIKE)


def fence_score(source: Fence, target: Fence) -> float:
    """How much of one block's words the other has, more where the language is the same."""
    first, second = names_in_code(source.content), names_in_code(target.content)
    either = first | second
    return 0.2 * (source.language == target.language) - 0.2 + (len(first & second) / len(either) if either else 0.2)


@lru_cache(maxsize=4096)
def names_in_code(code: str) -> frozenset[str]:
    return frozenset(NAME.findall(code))


def code_count(context: RuleContext) -> Iterator[Violation]:
    """Code blocks that stand on one side alone, and those that take in what follows because nothing closes them.

    A block that nothing closes is none: where a closing line is lost, the marks below it pair otherwise.
    """
    source, target = (sum(1 for fence in page.fences if fence.end_line) for page in (context.original, context.page))
    if source == target:
        return
    counts = f"found {target} code blocks, the source has {source}"
    pairs = fence_pairs(context.original, context.page)
    for (before, _), (one, other) in zip([(None, None), *pairs], pairs, strict=False):
        one = before if before and other and runs_on(before, other, context.document.language) else one
        if one is None or other is None or re.search("`{4}|~{4}", context.page.lines[other.line - 1]):
            continue  # a longer mark is meant to take in others
        if runs_on(one, other, context.document.language):
            line = other.line + len(one.content.splitlines()) + 1
            yield Violation("code-count", one.content,
                            f"{counts}; the one of line {other.line} goes on where the source's ends",
                            "close it here", line, 1, one.end_line)
            return  # what it took in is missing after it
    above, there = 0, {heading.text for heading in context.page.headings}
    known = {*alignment.matched_sections(context.original, context.page),  # and those with a block that is there
             *(context.original.section(one.line) for one, other in pairs if one and other
               and fence_score(one, other) > ALIKE)}
    for without in (without_moved, without_merged):
        pairs = without(pairs, context.original, context.page)
    closes = context.tree.layout.closes_fence
    pairs = without_indented(pairs, *(indented_blocks(each.page, closes(each.path))
                                      for each in (context.source, context.document) if each))
    lost = defaultdict[int, list[int]](list)  # the sections of the blocks, by the first of those in a row that are lost
    for section in (context.original.section(one.line) for one, other in pairs if one and not other):
        if section not in known:
            lost[first_missing(section, known)].append(section)
    for one, other in pairs:
        if one is None and other is not None:
            yield Violation("code-extra", other.content, f"{counts}; this one is not there",
                            "take it out, or close the one above it", other.line)
        elif other is None and one is not None:
            landing = alignment.find_landing(context.original, context.page, one.line)
            line = max(alignment.find_empty_line(context.page, landing), above)
            section = context.original.section(one.line)
            first = first_missing(section, known)
            title = context.original.headings[first] if section not in known else None
            if title and title.text not in there:
                if not (sections := lost.pop(first, [])):
                    continue
                last = context.original.headings[sections[-1]].text
                named = (f"the section {title.text!r} is" if sections[-1] == first else
                         f"the sections from {title.text!r} to {last!r} are")
                yield Violation("code-count", absent(title.text),
                                f"{counts}; {named} missing with {len(sections)} of them",
                                "translate what is missing", line, 1, title.line)
            else:
                yield Violation("code-count", absent(one.content),
                                f"{counts}; the one of the source's line {one.line} is missing",
                                "copy it from the source", line, 1, one.line)
            if not (target or context.page.blocks):
                return  # a page that says nothing lacks the others too
        elif other is not None:
            above = other.end_line


def without_moved(pairs: Pairs, source: Page, target: Page) -> Pairs:
    """The pairs, or where a block that has none stands on the other side elsewhere: those of blocks that it lacks."""
    wanted, found = (Counter(alignment.kept_words(fence.content) for fence in page.fences) for page in (source, target))

    def is_even(fence: Fence) -> bool:
        words = alignment.kept_words(fence.content)
        return wanted[words] == found[words]

    if not any(is_even(each) for one, other in pairs for each in (one, other) if each and not (one and other)):
        return pairs
    first, second = ([fence for fence in page.fences if not is_even(fence)] for page in (source, target))
    return alignment.align(first, second, fence_score, ALIKE)


def without_merged(pairs: Pairs, source: Page, target: Page) -> Pairs:
    """The pairs without blocks of one side whose lines the other has as often, whatever holds them there.

    That is another block, inline code, a link's target, a component's attribute. A block that stands in the one beside
    it goes too.
    """
    wanted, found = (Counter(line for code in chain(map(FENCED, page.fences), map(INLINE, page.codes),
                                                    map(ADDRESS, page.links), ATTRIBUTE.findall(page.text))
                             for line in bare_lines(code)) for page in (source, target))

    def is_merged(fence: Fence) -> bool:
        return all(wanted[line] == found[line] for line in bare_lines(fence.content))

    left = [pair for pair in pairs if all(pair) or not any(fence and is_merged(fence) for fence in pair)]
    beside: Pairs = [(None, None), *left, (None, None)]
    return [pair for pair, *around in zip(left, beside, beside[2:], strict=False)
            if all(pair) or not any(is_taken_in(pair, each) for each in around)]


def is_taken_in(alone: Pair, beside: Pair) -> bool:
    """Whether a block of one side is a part of the other's block beside it, by the names that its neighbour lacks."""
    side = 0 if alone[0] else 1
    block, own, other = alone[side], beside[side], beside[1 - side]
    if block is None or own is None or other is None:
        return False
    new = names_in_code(block.content) - names_in_code(own.content)
    return len(new) >= FEW and 5 * len(new & names_in_code(other.content)) >= 4 * len(new)


def without_indented(pairs: Pairs, source: list[Fence], target: list[Fence]) -> Pairs:
    """The pairs without blocks of one side that stand among the other's code by indentation."""
    shown: set[Fence | None] = set()
    for side, blocks in enumerate((target, source)):
        fences = [pair[side] for pair in pairs if pair[side] and not all(pair)]
        found = alignment.align([each for each in fences if each], blocks, fence_score) if fences else []
        shown |= {fence for fence, block in found if fence and block and fence_score(fence, block) > ALIKE}
    return [pair for pair in pairs if all(pair) or shown.isdisjoint(pair)]


def indented_blocks(page: Page, closes: Closes) -> list[Fence]:
    """The code by indentation of a page, which one of MDX has none of."""
    blocks: list[Fence] = []
    runs = False
    for line in read(page.text, closes):
        if line.kind is CODE and runs:
            blocks[-1] = blocks[-1]._replace(end_line=line.number, content=blocks[-1].content + line.text)
        elif line.kind is CODE:
            blocks.append(Fence("", line.number, line.number, line.text))
        runs = line.kind is CODE or (runs and not line.text.strip())
    return [block for block in blocks if not FENCE_MARK.search(block.content)]


def bare_lines(code: str) -> list[str]:
    """What each line of code with a word says, without a prompt, the frame of a table, a final semicolon, and case.

    >>> bare_lines("mysql> SELECT 1;\\n+---+\\n| one |\\na > b")
    ['select 1', 'one', 'a > b']
    """
    lines = (line[match.end() if (match := PROMPT.match(line)) else 0 :].translate(FRAME).strip(" \t|;")
             for line in code.casefold().splitlines())
    return [" ".join(SAID.findall(line)) for line in lines if NAME.search(line)]


def first_missing(section: int, known: Container[int]) -> int:
    """The first of the sections in a row, up to this one, that have none in the translation."""
    while section > 0 and section - 1 not in known:
        section -= 1
    return section


def runs_on(source: Fence, target: Fence, language: str) -> bool:
    """Whether a block holds all of its source's and then what is none: the mark of another block, or a sentence."""
    first, second = source.content.splitlines(), target.content.splitlines()
    more = second[len(first) :]
    said = "" in map(str.strip, more) and target.language not in MARKDOWN and any(map(SENTENCE.fullmatch, more))
    if not first or not (said or any(map(MARK.match, more))):
        return False
    return first_difference(source.content, "\n".join(second[: len(first)]), language, source.language) is None


def code_differs(context: RuleContext) -> Iterator[Violation]:
    """Code blocks that do another thing than the source's."""
    language, pairs = context.document.language, fence_pairs(context.original, context.page)
    if len(context.original.fences) == len(context.page.fences):
        lost, extra = ([pair[side] for pair in pairs if pair[side] and not pair[1 - side]] for side in (0, 1))
        for wanted, other in zip(lost, extra, strict=True):
            assert wanted and other
            yield Violation("code-differs", other.content,
                            "this code block is not the source's, or stands elsewhere there",
                            "copy the source's code, in its order", other.line, 1, wanted.line)
    for one, other in pairs:
        if one is None or other is None:
            continue
        if not same_language(one.language, other.language):
            yield Violation("code-differs", f"{one.language} / {other.language}",
                            f"this code block is marked {other.language!r}, the source's {one.language!r}",
                            f"mark it {one.language!r}", other.line, 1, one.line)
        run, own = (read_attributes(page.lines[fence.line - 1]).get("run", "")
                    for page, fence in ((context.original, one), (context.page, other)))
        if run != own:
            yield Violation("code-differs", f"{run} / {own}",
                            f"this code block is run as {own or 'nothing'}, the source's as {run or 'nothing'}",
                            "copy the line that opens it from the source", other.line, 1, one.line)
        difference = first_difference(one.content, other.content, language, one.language)
        if difference is not None:
            what = "the indentation is not the source's" if difference == INDENTATION else (
                f"the code differs from the source's, first at {difference!r}")
            offset, place = first_other_lines(one, other, language)
            yield Violation("code-differs", difference, what,
                            "copy the code from the source; only comments and words a reader reads are translated",
                            other.line + place, 1, one.line + offset, code_fix(context.page, one, other, language))


def first_other_lines(source: Fence, target: Fence, language: str) -> tuple[int, int]:
    """The first line of each block, counted from 1, where they do not say the same; (1, 1) where it cannot be told."""
    first, second = source.content.splitlines(), target.content.splitlines()
    for kind, a, b, c, d in opcodes(list(map(str.strip, first)), list(map(str.strip, second))):
        if kind == "equal":
            odd = next((k for k in range(b - a) if first[a + k] != second[c + k]), None)
            if odd is not None and source.language in NESTING:
                return a + odd + 1, c + odd + 1
            continue
        for k in range(max(b - a, d - c)):
            pieces = ["\n".join([*side[place + k : min(place + k + 1, end)], ""])
                      for side, place, end in ((first, a, b), (second, c, d))]
            if first_difference(pieces[0], pieces[1], language, source.language) is not None:
                return min(a + k + 1, len(first)), min(c + k + 1, len(second))
    return 1, 1


def code_inline_differs(context: RuleContext) -> Iterator[Violation]:
    """Inline code that the source does not have, or that the translation's section lost."""
    first, second = (tuple(code for code in page.codes if "\n" not in code.text)
                     for page in (context.original, context.page))
    everywhere, kept = {plain(code.text) for code in first}, {plain(code.text) for code in second}
    if everywhere == kept and len(first) == len(second):
        return
    lost = bare_words(context)
    for section, source, target in alignment.section_pairs(context.original, context.page, first, second):
        wanted, found = Counter(plain(code.text) for code in source), Counter(plain(code.text) for code in target)
        missing = [code for code in source if plain(code.text) not in found and (
            plain(code.text) not in kept or code.text.startswith(OPENING) or lost(section, code.text))]
        added = [code for code in target if plain(code.text) not in wanted and plain(code.text) not in everywhere
                 and code.text not in context.original.text]
        for code in source:  # a reference into the evidence may not be said less often than in the source
            if code.text.startswith(OPENING) and plain(code.text) in found:
                found[plain(code.text)] -= 1
                missing += [code] if found[plain(code.text)] < 0 else []
        yield from report_inline_code(context, missing, added)


def bare_words(context: RuleContext) -> Callable[[int, str], bool]:
    """What tells whether a section has the words of inline code as text: its backticks are lost, or are no backticks.

    Each code is looked for once in both pages, and no more than LOOKED_UP of them.
    """
    @cache
    def sections(code: str) -> frozenset[int]:
        if len(code) < 3 or sections.cache_info().currsize >= LOOKED_UP:
            return frozenset()
        word = re.compile(rf"(?<![\w.-]){re.escape(code)}(?![\w-])")
        found = [block for block in context.page.blocks if code in block.text and word.search(block.text)]
        if not found or any(code in block.text and word.search(block.text) for block in context.original.blocks):
            return frozenset()
        return frozenset(context.page.section(block.line) for block in found)

    return lambda section, code: section in sections(code)


def plain(code: str) -> str:
    """Inline code, a run of white space one space, none around operators and brackets, without the quotes around it."""
    parts = code.split()
    return ("".join(parts) if len(parts) < 2 else AROUND.sub(r"\1", " ".join(parts))).strip("\"'")


def report_inline_code(context: RuleContext, missing: list[Code], added: list[Code]) -> Iterator[Violation]:
    """One finding a code added, told with the missing one in its place; the rest of the missing ones after."""
    own = own_letters(context.document.language)
    left = iter(missing)
    for code in added:
        lost = next(left, None)
        if own is not None and own.search(code.text):
            continue
        instead = f"; the source has {lost.text!r}" if lost else ""
        yield Violation("code-inline-differs", code.text, f"{code.text!r} is not in the source{instead}",
                        "write inline code as the source has it", code.line, code.column, lost.line if lost else None)
    for code in left:
        yield Violation("code-inline-differs", absent(code.text),
                        f"{code.text!r} of the source is missing in this section", "bring it back, with its backticks",
                        alignment.find_landing(context.original, context.page, code.line), 1, code.line)
