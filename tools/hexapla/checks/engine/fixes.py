"""Apply the fixes of findings: ids, link targets, code; never prose."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from hexapla.checks.engine.context import Fix
from hexapla.checks.finding import Finding
from hexapla.files import write


def apply_fixes(root: Path, findings: Iterable[Finding]) -> list[Finding]:
    """Write all fixes, each file at once, and return the findings that were fixed."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.fix is not None:
            by_path[finding.path].append(finding)
    fixed = []
    for path, group in by_path.items():
        file = root / path
        data = file.read_bytes()
        text = data.decode("utf-8-sig")
        fitting = compatible(group)
        changed = apply(text, [finding.fix for finding in fitting if finding.fix])
        if changed != text:
            start = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
            write(file, start + changed.encode())
            fixed += fitting
    return fixed


def compatible(findings: Iterable[Finding]) -> list[Finding]:
    """The findings whose fixes touch no text that an earlier one touches."""
    kept: list[Finding] = []
    end = -1
    for finding in sorted(findings, key=lambda item: (item.fix.start, item.fix.end) if item.fix else (0, 0)):
        if finding.fix and finding.fix.start >= end:
            kept.append(finding)
            end = max(finding.fix.end, finding.fix.start + 1)
    return kept


def apply(text: str, fixes: Iterable[Fix]) -> str:
    """The text with the fixes in it; new lines end as the text's do."""
    ending = "\r\n" if "\r\n" in text else "\n"
    for fix in sorted(fixes, key=lambda item: item.start, reverse=True):
        put_in = fix.text.replace("\r\n", "\n").replace("\n", ending)
        text = text[: fix.start] + put_in + text[fix.end :]
    return text
