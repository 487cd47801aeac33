"""Findings as one HTML file, which fetches nothing: by language and rule, each beside both texts.

A tree's words are not trusted: all are escaped, characters that nobody sees are named, and the file's policy lets no
script run but its own.
"""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from hexapla.checks.finding import Finding, ShownLines
from hexapla.checks.rules.manual import summarize_rule
from hexapla.cldr import native_name
from hexapla.pages.invisible import visible
from hexapla.reports.summary import ORDER, Summary, count_totals, worst_first

LIMIT = 3_000  # findings that are shown, the worst
LEAD, CLIPPED = 120, 320  # characters of a long line that are shown, and of them before the column that is meant
# Rules whose findings are a line each: there are hundreds, and one command or sentence says what to do.
LISTED = {"page-missing", "anchor-unpinned"}
BY_LANGUAGE = attrgetter("language")


class RuleFindings(NamedTuple):
    """What a rule found in a language: each finding with the lines that it is about, the source's last."""

    rule: str
    summary: str
    found: list[tuple[Finding, Sequence[ShownLines]]]

    @property
    def severity(self) -> str:
        """That of the worst finding."""
        return min((finding.severity for finding, _ in self.found), key=ORDER.__getitem__)


def findings_html(findings: Sequence[Finding], summary: Summary) -> str:
    """The file; the worst findings alone where there are too many for a browser."""
    shown_lines = {id(each): texts for each, texts in zip(findings, summary.shown_lines, strict=False)}
    shown = worst_first(findings)[:LIMIT]
    script = files("hexapla.reports").joinpath("templates/findings.js").read_text(encoding="utf-8")
    return TEMPLATES.get_template("findings.html").render(
        languages=[(language, language_name(language), rules_of(list(found), shown_lines, summary))
                   for language, found in groupby(sorted(shown, key=BY_LANGUAGE), key=BY_LANGUAGE)],
        script=Markup(script), script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        totals=count_totals(findings), summary=summary, left_out=len(findings) - len(shown), listed=LISTED,
    ) + "\n"


def rules_of(
    findings: Sequence[Finding], shown_lines: dict[int, Sequence[ShownLines]], summary: Summary
) -> list[RuleFindings]:
    """The findings of a language by rule, the rule with the worst ones first."""
    found: dict[str, list[tuple[Finding, Sequence[ShownLines]]]] = {}
    for each in findings:
        found.setdefault(each.rule, []).append((each, shown_lines.get(id(each), ())))
    known = summary.known
    groups = [RuleFindings(rule, summarize_rule(known[rule]) if rule in known else "", group)
              for rule, group in found.items()]
    return sorted(groups, key=lambda group: (ORDER[group.severity], group.rule in LISTED))


def language_name(code: str) -> str:
    """What a language calls itself, and its code; of findings in no page's language that they are the tree's."""
    try:
        return f"{native_name(code)} ({code})" if code else "The tree"
    except ValueError:
        return code


def clip_line(line: str, column: int) -> str:
    """A line, of a long one what stands around a column."""
    if len(line) <= CLIPPED:
        return line
    first = max(min(column - LEAD, len(line) - CLIPPED), 0)
    last = first + CLIPPED
    return f"{'…' if first else ''}{line[first:last]}{'…' if last < len(line) else ''}"


def name_hidden(value: object) -> object:
    """A value of a template; of a text, characters that nobody sees are named."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


TEMPLATES = Environment(loader=PackageLoader("hexapla.reports"), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                        finalize=name_hidden)
TEMPLATES.filters["clip"] = clip_line
