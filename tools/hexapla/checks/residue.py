"""What a translation machine said about itself, and prompts that were left in."""

import re
from collections.abc import Iterator

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.checks.letters import own_letters
from hexapla.checks.memo import remembered
from hexapla.checks.prose import readable, shortened
from hexapla.checks.residues import ROWS, TAGS
from hexapla.pages import Block as PageBlock
from hexapla.pages.lines import Block, read

CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: \S.*)?$", re.M)  # what git writes around two versions of a passage
# A source that says how pages are translated; its translation says so too.
ABOUT = (
    r"(?i)machine[- ](?:translat|generat)|(?:automatic|automated)\w* translat|translated automatically"
    r"|\btranslat\w+ (?:with|by|using) (?:an? )?(?:ai|llm|machine|model)|\bllm\w* .{0,30}translat"
)


def residue(case: Case) -> Iterator[Found]:
    """Sentences of a machine in a translation; not where its source's section has some too."""
    if case.source is None and own_letters(case.document.language) is None:
        return  # no translation
    yield from tags(case)
    yield from conflicts(case)
    said = machine_talk(readable(case.page.blocks))
    quoted = quoting(case) if said else frozenset()
    for block, what, text in said:
        if case.page.section(block.line) not in quoted:
            yield Found("residue", f"{shortened(text)!r} is {what}, not the page's text", "take it out",
                        block.line, block.column)


def quoting(case: Case) -> frozenset[int]:
    """The sections whose source shows what machines say, as a page about translation does."""
    if case.source is None:
        return frozenset()
    blocks = readable(case.original.blocks)
    talk = [block for block, _, _ in machine_talk(blocks)] + [block for block in blocks if re.search(ABOUT, block.text)]
    sections = {case.original.section(block.line) for block in talk}
    return frozenset(b for a, b in align.sections(case.original, case.page) if a in sections)


@remembered
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


def tags(case: Case) -> Iterator[Found]:
    """Tags around the parts of a prompt, outside code."""
    if not TAGS.search(case.page.text) or (case.source is not None and TAGS.search(case.original.text)):
        return
    for line in read(case.page.text):
        bare = re.sub(r"`+[^`]*`+", lambda code: " " * len(code[0]), line.text)
        if line.block is Block.PROSE and (match := TAGS.search(bare)):
            yield Found("residue", f"{match.group()!r} is a mark of a prompt, not the page's text", "take it out",
                        line.number, match.start() + 1)


def conflicts(case: Case) -> Iterator[Found]:
    """Lines that git wrote around two versions of a passage, in code too."""
    if "<<<<<<<" not in case.page.text and ">>>>>>>" not in case.page.text:
        return
    for number, line in enumerate(case.page.lines, 1):
        if CONFLICT.match(line) and (case.source is None or line.strip() not in case.original.text):
            yield Found("residue", f"{line.strip()!r} is a mark of a merge, not the page's text",
                        "keep one of the two versions and take the marks out", number)
