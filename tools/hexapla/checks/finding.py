"""A finding: the rule, the place, what is wrong, and what to do; and the lines that it is about."""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # a report on a built site needs no edits
    from hexapla.pages.edits import PageEdit


class Finding(NamedTuple):
    """One violation of a rule in a file; a tuple: importing dataclasses takes longer than checking a small site.

    `path` is relative to the project's root with forward slashes; line and column count from 1.

    `severity` is "error", "warning" or "note"; `origin` is "translation" (the page's own), "inherited" (the source
    has it too) or "source-moved" (the source changed since the translation did). `subject` is the thing that the rule
    found: a link's target, an id, a number, a heading, code. It is "" for the file as a whole.
    `traceback` is that of a rule that failed, "" of all others. Findings are made with keyword arguments.
    """

    path: str
    line: int
    column: int
    rule: str
    message: str
    hint: str
    language: str = ""
    severity: str = "error"
    source_path: str | None = None
    source_line: int | None = None
    origin: str = "translation"
    fix: "PageEdit | None" = None
    subject: str = ""
    traceback: str = ""

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of rule, path and subject: other lines and other wordings keep it."""
        parts = "\0".join((self.rule, self.path, self.subject))
        return sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column} {self.rule}: {self.message}; {self.hint}"


class ShownLines(NamedTuple):
    """Lines of a page around the one that a finding is about, whose number is `line`; that of the first is `first`."""

    path: str
    language: str
    first: int
    lines: tuple[str, ...]
    line: int


def subtract_findings(findings: Iterable[Finding], known: Iterable[Finding] | Counter[str]) -> list[Finding]:
    """The findings that are not among the known ones, or their fingerprints, by what they found and how often."""
    left = known.copy() if isinstance(known, Counter) else Counter(each.fingerprint for each in known)
    found = []
    for each in findings:
        left[each.fingerprint] -= 1
        if left[each.fingerprint] < 0:
            found.append(each)
    return found
