"""The lines that a finding is about, of its page and of the page that this was translated from."""

from hexapla.checks.alignment import line_beside
from hexapla.checks.engine.checker import Checker
from hexapla.checks.finding import Finding, ShownLines

BEFORE, AFTER = 1, 4  # lines shown around the one that is meant


def find_shown_lines(checker: Checker, finding: Finding) -> tuple[ShownLines, ...]:
    """The lines of a finding's page, then those of its source; none where one of the two cannot be read.

    Where the rule names no line of the source, that is the line of the block that stands for the finding's.
    """
    if finding.path not in checker.index.owners:
        return ()
    try:
        page = checker.store.page(finding.path)
        source = checker.source_of(finding.path)
        found = [cut_lines(finding.path, finding.language, page.lines, finding.line)]
        if source:
            original = checker.store.page(source)
            line = finding.source_line or line_beside(page, original, finding.line)
            found.append(cut_lines(source, checker.layout.source, original.lines, line))
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(found)


def cut_lines(path: str, language: str, lines: tuple[str, ...], line: int) -> ShownLines:
    """A line of a page and those around it, without their ends."""
    first = max(line - BEFORE, 1)
    cut = tuple(each.rstrip("\r\n") for each in lines[first - 1 : line + AFTER])
    return ShownLines(path, language, first, cut, line)
