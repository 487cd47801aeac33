"""What a translation machine said about itself, and prompts that were left in."""

import re
from collections.abc import Iterator

from hexapla.checks import alignment
from hexapla.checks.engine.context import RuleContext, Violation
from hexapla.checks.engine.memo import memoized
from hexapla.checks.rules.text.machine_phrases import ROWS, TAGS
from hexapla.checks.rules.text.prose import readable, shortened
from hexapla.languages import own_letters
from hexapla.pages import Block as PageBlock
from hexapla.pages.lines import LineKind, read

CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: \S.*)?$", re.M)  # what git writes around two versions of a passage
# A source that says how pages are translated; its translation says so too.
ABOUT = (
    r"(?i)machine[- ](?:translat|generat)|(?:automatic|automated)\w* translat|translated automatically"
    r"|\btranslat\w+ (?:with|by|using) (?:an? )?(?:ai|llm|machine|model)|\bllm\w* .{0,30}translat"
)


def residue(context: RuleContext) -> Iterator[Violation]:
    """Sentences of a machine in a translation; not where its source's section has some too."""
    if context.source is None and own_letters(context.document.language) is None:
        return  # no translation
    yield from tags(context)
    yield from conflicts(context)
    said = machine_talk(readable(context.page.blocks))
    quoted = quoting(context) if said else frozenset()
    for block, what, text in said:
        if context.page.section(block.line) not in quoted:
            yield Violation("residue", shortened(text), f"{shortened(text)!r} is {what}, not the page's text",
                            "take it out", block.line, block.column)


def quoting(context: RuleContext) -> frozenset[int]:
    """The sections whose source shows what machines say, as a page about translation does."""
    if context.source is None:
        return frozenset()
    blocks = readable(context.original.blocks)
    talk = [block for block, _, _ in machine_talk(blocks)] + [block for block in blocks if re.search(ABOUT, block.text)]
    sections = {context.original.section(block.line) for block in talk}
    return frozenset(b for a, b in alignment.sections(context.original, context.page) if a in sections)


@memoized
def machine_talk(blocks: tuple[PageBlock, ...]) -> list[tuple[PageBlock, str, str]]:
    """The blocks where a machine speaks of itself, what that is, and the words."""
    lower = "\n".join(block.text for block in blocks).lower()
    rows = [row for row in ROWS if any(word in lower for word in row.words)]
    found = []
    for block in blocks if rows else ():
        text = block.text.lower()
        for row in rows:
            if any(word in text for word in row.words) and (match := row.pattern.search(block.text)):
                found.append((block, row.what, match.group().strip()))
    return found


def tags(context: RuleContext) -> Iterator[Violation]:
    """Tags around the parts of a prompt, outside code."""
    if not TAGS.search(context.page.text) or (context.source is not None and TAGS.search(context.original.text)):
        return
    for line in read(context.page.text):
        bare = re.sub(r"`+[^`]*`+", lambda code: " " * len(code[0]), line.text)
        if line.kind is LineKind.PROSE and (match := TAGS.search(bare)):
            yield Violation("residue", match.group(), f"{match.group()!r} is a mark of a prompt, not the page's text",
                            "take it out", line.number, match.start() + 1)


def conflicts(context: RuleContext) -> Iterator[Violation]:
    """Lines that git wrote around two versions of a passage, in code too."""
    if "<<<<<<<" not in context.page.text and ">>>>>>>" not in context.page.text:
        return
    for number, line in enumerate(context.page.lines, 1):
        if CONFLICT.match(line) and (context.source is None or line.strip() not in context.original.text):
            yield Violation("residue", line.strip(), f"{line.strip()!r} is a mark of a merge, not the page's text",
                            "keep one of the two versions and take the marks out", number)
