"""References into the evidence: what each names is there, so that a page can show it."""

from collections.abc import Callable, Iterator

from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.finding import Finding
from hexapla.pages import Page
from hexapla.pages.evidence_references import evidence_references


def evidence_missing(context: RuleContext) -> Iterator[Violation]:
    """`evidence-missing` of a page, in a tree that has snippets."""
    if context.settings.figure is not None:
        yield from missing_figures(context.page, context.document.language, context.settings.figure)


def evidence_findings(page: Page, path: str, language: str, figure: Callable[[str, str], str]) -> Iterator[Finding]:
    """The same as errors, for a build that has no rules to run."""
    for found in missing_figures(page, language, figure):
        yield found.as_error(path, language)


def missing_figures(page: Page, language: str, figure: Callable[[str, str], str]) -> Iterator[Violation]:
    """The references of a page that show nothing; `figure` returns what one shows or raises ValueError."""
    for reference in evidence_references(page.text):
        try:
            figure(reference.code, language)
        except ValueError as error:
            hint = "correct the reference, or record the snippet with `hexapla run --record`"
            yield Violation("evidence-missing", reference.code, f"`{reference.code}`: {error}", hint,
                            reference.line, reference.column)
