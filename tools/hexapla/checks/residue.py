"""What a translation machine said about itself, and prompts that were left in."""

import re
from collections.abc import Iterator

from hexapla.checks.context import Case, Found
from hexapla.checks.memo import remembered
from hexapla.checks.prose import readable, shortened
from hexapla.checks.residues import ROWS, TAGS
from hexapla.pages import Block as PageBlock
from hexapla.pages.lines import Block, read


def residue(case: Case) -> Iterator[Found]:
    """Sentences of a machine in the page that its source does not have too, as a page about translation does."""
    yield from tags(case)
    blocks = readable(case.page.blocks)
    whole = "\n".join(block.text for block in blocks)
    lower = whole.lower()
    tried = [row for row in ROWS if any(word in lower for word in row.words) and row.pattern.search(whole)]
    if tried and case.source is not None and machine_talk(readable(case.original.blocks)):
        return
    for row in tried:
        for block in blocks:
            if match := row.pattern.search(block.text):
                yield Found("residue", f"{shortened(match.group().strip())!r} is {row.what}, not the page's text",
                            "take it out", block.line, block.column)


@remembered
def machine_talk(blocks: tuple[PageBlock, ...]) -> bool:
    """Whether a page is about translation machines: it says such things itself."""
    return any(row.pattern.search(block.text) for block in blocks for row in ROWS)


def tags(case: Case) -> Iterator[Found]:
    """Tags around the parts of a prompt, outside code."""
    if not TAGS.search(case.page.text) or (case.source is not None and TAGS.search(case.original.text)):
        return
    for line in read(case.page.text):
        bare = re.sub(r"`+[^`]*`+", lambda code: " " * len(code[0]), line.text)
        if line.block is Block.PROSE and (match := TAGS.search(bare)):
            yield Found("residue", f"{match.group()!r} is a mark of a prompt, not the page's text", "take it out",
                        line.number, match.start() + 1)
