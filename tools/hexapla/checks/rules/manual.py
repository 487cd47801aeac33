"""What each rule means: its section of docs/en/tools/rules.md, which an installation carries beside this module."""

import re
from pathlib import Path

from hexapla.checks.rules.registry import SCOPES, Rule

PACKED = Path(__file__).with_name("rules.md")  # pyproject.toml puts the page into wheels
CHECKOUT = Path(__file__).parents[4] / "docs/en/tools/rules.md"
SECTION = re.compile(r"^### (?P<rule>[a-z-]+) \{#(?P=rule)\}\n\n(?:Error|Warning|Note)\. (?P<text>.*?)(?=^#|^<!--|\Z)",
                     re.M | re.S)


def explain_rule(rule: Rule) -> str:
    """The id, severity and scope of a rule, then why it matters, an example, and how to fix it.

    Of another package's rule its summary.
    """
    head = f"{rule.id}\n\nSeverity: {rule.severity}\nScope: {SCOPES[rule.scope]}\n"
    return f"{head}Package: {rule.package}\n\n{rule.summary}\n" if rule.package else f"{head}\n{rule_section(rule)}\n"


def summarize_rule(rule: Rule) -> str:
    """What a rule finds, in one sentence."""
    return rule.summary or f"{rule_section(rule).partition('. ')[0].partition(chr(10))[0].removesuffix('.')}."


def rule_section(rule: Rule) -> str:
    """The text of a rule's section, which begins with what it finds."""
    text = (PACKED if PACKED.is_file() else CHECKOUT).read_text(encoding="utf-8")
    return next(match["text"].strip() for match in SECTION.finditer(text) if match["rule"] == rule.id)
