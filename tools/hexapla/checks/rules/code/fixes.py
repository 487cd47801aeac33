"""The edit that puts the source's code back, line by line, so that translated comments stay."""

from hexapla.checks.alignment import line_starts
from hexapla.checks.engine.context import Fix
from hexapla.checks.rules.code.equivalence import first_difference
from hexapla.pages import Fence, Page


def code_fix(page: Page, source: Fence, target: Fence, language: str) -> Fix | None:
    """The source's lines in place of those that do another thing; None where the blocks have not as many lines.

    A line that only translates a comment or words stays. `language` is the translation's.
    """
    theirs, ours = source.content.splitlines(), target.content.splitlines()
    lines = page.lines
    if len(theirs) != len(ours) or not target.end_line or target.line + len(ours) > len(lines):
        return None
    there, here = margin(theirs), margin(ours)
    made: dict[int, str] = {}
    for number, (wanted, found) in enumerate(zip(theirs, ours, strict=True), target.line):
        if wanted != found and first_difference(f"{wanted}\n", f"{found}\n", language, source.language) is not None:
            made[number] = here + wanted.removeprefix(there) if wanted.strip() else ""
    inside = range(target.line, target.end_line - 1)
    whole = "".join(f"{made.get(number, lines[number].rstrip())}\n" for number in inside)
    if not made or first_difference(source.content, whole, language, source.language) is not None:
        return None
    starts = line_starts(lines)
    return Fix(starts[target.line], starts[target.end_line - 1], whole)


def margin(lines: list[str]) -> str:
    """The white space that all lines of a block start with."""
    found = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    return min(found, key=len, default="")
