"""Recorded runs and references to them: what cannot be believed, what has to run again, what a page cannot show."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from operator import attrgetter

from hexapla.cache import key_of
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.finding import Finding
from hexapla.checks.site_index import SiteIndex
from hexapla.examples.page_blocks import block_path, list_attributes
from hexapla.file_digests import folder_states
from hexapla.pages import Fence, Page
from hexapla.pages.evidence_references import evidence_references


def recorded_runs(tree: SiteIndex) -> Iterator[Finding]:
    """`evidence-invalid`, `evidence-outdated` and `evidence-differs`: what is wrong with the runs of a tree.

    They are kept by the bytes of all that they are made of.
    """
    root, digests = tree.layout.root, tree.files
    for snippets in [*tree.open_snippets()][:1]:  # the others hold what pages include, and no runs
        own = folder_states([snippets.root, root / "tests" / "snippets"], digests)
        key = key_of("recorded runs", root, snippets.root, snippets.blocks, own)
        kept = digests.cache.get(key) if own is not None else None
        if kept is None or any(digests.digest(root, file) != state for file, state in kept["files"].items()):
            from hexapla.checks.rules.recorded_runs import run_findings

            found, files = run_findings(root, snippets)
            kept = {"findings": [each._asdict() for each in found],
                    "files": {file: digests.digest(root, file) for file in sorted(files or ())}}
            if own is not None and files is not None:
                digests.cache.put(key, kept)
        yield from (Finding(**each) for each in kept["findings"])


def evidence_missing(context: RuleContext) -> Iterator[Violation]:
    """`evidence-missing` of a page, in a tree that has snippets."""
    document, settings = context.document, context.settings
    if settings.figure is not None and settings.picture is not None:
        yield from evidence_violations(document.page, document.name, document.language, settings.figure,
                                       settings.picture)


def evidence_violations(
    page: Page, name: str, language: str, figure: Callable[[str, str], str], picture: Callable[[str], bool]
) -> Iterator[Violation]:
    """The references of a page that show nothing, and its pictures that nothing describes.

    `name` is the page's path below its language's folder; `figure` returns what a reference shows or raises ValueError.
    """
    yield from undescribed_pictures(page, name, picture)
    for reference in evidence_references(page.text):
        try:
            figure(reference.code, language)
        except ValueError as error:
            hint = "correct the reference, or record the snippet with `hexapla run --record`"
            yield Violation("evidence-missing", reference.code, f"`{reference.code}`: {error}", hint,
                            reference.line, reference.column)


def undescribed_pictures(page: Page, name: str, picture: Callable[[str], bool]) -> Iterator[Violation]:
    """The blocks of a page without `alt` below which a printed PNG stands; `picture` says which programs print one."""
    blocks: dict[str, Fence] = {}  # the last of each program has its output
    includes = sorted(page.includes, key=attrgetter("line"))
    lines = [each.line for each in includes]
    for fence in page.fences:
        own = block_path(name, page.lines[fence.line - 1])
        shown = includes[bisect_right(lines, fence.line) : bisect_left(lines, fence.end_line)]
        blocks.update((path, fence) for path in ([own] if own else [each.path for each in shown]))
    for path, fence in blocks.items():
        if picture(path) and not list_attributes(page.lines[fence.line - 1]).get("alt"):
            message = f"{path} prints a picture, and its block does not say what it shows"
            hint = 'write alt="..." in the braces of the line that opens the block'
            yield Violation("evidence-missing", path, message, hint, fence.line, 1)
