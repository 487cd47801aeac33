"""What a rule found: the rule, where, what, and what to do."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # a report on a built site needs no rule
    from hexapla.checks.engine.context import Fix


class Finding(NamedTuple):
    """A tuple, not a dataclass: a built site is checked in less time than it takes to import those.

    `path` is relative to the project's root with forward slashes; line and column count from 1.

    `severity` is "error", "warning" or "note"; `origin` is "translation" (the page's own), "inherited" (the source
    has it too) or "source-moved".
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
    fix: "Fix | None" = None

    @property
    def fingerprint(self) -> str:
        """The same for the same finding wherever its line moves: 16 hexadecimal digits."""
        from hashlib import sha256

        return sha256("\0".join((self.rule, self.path, self.message)).encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column} {self.rule}: {self.message}; {self.hint}"
