"""Code blocks and inline code: as many as in the source, and the same but for what a translator may translate."""

from collections import Counter
from collections.abc import Iterator

from hexapla.checks import align
from hexapla.checks.code import first_difference, same_language, squeeze
from hexapla.checks.context import Case, Found
from hexapla.checks.letters import own_letters
from hexapla.pages import Code, Fence, Page

Pairs = list[tuple[Fence | None, Fence | None]]


def fence_pairs(source: Page, target: Page) -> Pairs:
    """The code blocks that stand for each other, by content."""
    if len(source.fences) == len(target.fences):
        return list(zip(source.fences, target.fences, strict=True))
    return align.align(source.fences, target.fences, fence_score, 0.3)


def fence_score(source: Fence, target: Fence) -> float:
    """How much of one block's words the other has, more where the language is the same."""
    first, second = align.kept_words(source.content), align.kept_words(target.content)
    either = first | second
    return 0.2 * (source.language == target.language) - 0.2 + (len(first & second) / len(either) if either else 0.2)


def code_count(case: Case) -> Iterator[Found]:
    """Code blocks that stand on one side alone."""
    source, target = case.original.fences, case.page.fences
    if len(source) == len(target):
        return
    counts = f"found {len(target)} code blocks, the source has {len(source)}"
    for one, other in fence_pairs(case.original, case.page):
        if one is None and other is not None:
            yield Found("code-count", f"{counts}; this one is not there", "take it out, or close the one above it",
                        other.line)
        elif other is None and one is not None:
            yield Found("code-count", f"{counts}; the one of the source's line {one.line} is missing",
                        "copy it from the source", align.landing(case.original, case.page, one.line), 1, one.line,
                        key=one.content)


def code_differs(case: Case) -> Iterator[Found]:
    """Code blocks that do another thing than the source's."""
    language = case.document.language
    for one, other in fence_pairs(case.original, case.page):
        if one is None or other is None:
            continue
        if not same_language(one.language, other.language):
            yield Found("code-differs", f"this code block is marked {other.language!r}, the source's {one.language!r}",
                        f"mark it {one.language!r}", other.line, 1, one.line)
        difference = first_difference(one.content, other.content, language, one.language)
        if difference is not None:
            line = other.line + first_other_line(one.content, other.content)
            yield Found("code-differs", f"the code is not the source's from {difference!r} on",
                        "copy the code from the source; only comments and words a reader reads are translated",
                        line, 1, one.line)


def first_other_line(source: str, target: str) -> int:
    """The first line of `target`, counted from 1, that `source` does not have, blank lines and white space aside."""
    known = set(map(str.strip, squeeze(source).splitlines()))
    own = [number for number, line in enumerate(target.splitlines(), 1) if line.strip() and line.strip() not in known]
    return own[0] if own else 1


def code_inline_differs(case: Case) -> Iterator[Found]:
    """Inline code that the source does not have, or that the translation's section lost."""
    first, second = (tuple(code for code in page.codes if "\n" not in code.text)
                     for page in (case.original, case.page))
    everywhere, kept = {plain(code.text) for code in first}, {plain(code.text) for code in second}
    if everywhere == kept:
        return
    for _, source, target in align.section_pairs(case.original, case.page, first, second):
        wanted, found = Counter(plain(code.text) for code in source), Counter(plain(code.text) for code in target)
        missing = [code for code in source if plain(code.text) not in found and plain(code.text) not in kept]
        added = [code for code in target if plain(code.text) not in wanted and plain(code.text) not in everywhere
                 and code.text not in case.original.text]
        yield from reported(case, missing, added)


def plain(code: str) -> str:
    """Inline code without the white space that wrapping moves, and without the quotes around it."""
    return "".join(code.split()).strip("\"'")


def reported(case: Case, missing: list[Code], added: list[Code]) -> Iterator[Found]:
    """One finding a code added, told with the missing one in its place; the rest of the missing ones after."""
    own = own_letters(case.document.language)
    for code in added:
        if own is not None and own.search(code.text):
            if missing:
                missing = missing[1:]
            continue
        lost = missing[0] if missing else None
        missing = missing[1:]
        instead = f"; the source has {lost.text!r}" if lost else ""
        yield Found("code-inline-differs", f"{code.text!r} is not in the source{instead}",
                    "write inline code as the source has it", code.line, code.column, lost.line if lost else None)
    for code in missing:
        yield Found("code-inline-differs", f"{code.text!r} of the source is missing in this section",
                    "bring it back, with its backticks", align.landing(case.original, case.page, code.line), 1,
                    code.line)
