"""JUnit XML for CI systems: one test case per page with findings, failed if one of them is an error."""

import re
from collections.abc import Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hexapla.checks.finding import Finding
from hexapla.reports.summary import Summary

# Characters that XML 1.0 cannot hold, even escaped.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_report(findings: Sequence[Finding], summary: Summary) -> str:
    """A suite of one case for each page with findings and one for all pages without."""
    by_page = {path: list(group) for path, group in groupby(findings, key=lambda finding: finding.path)}
    failed = [path for path, group in by_page.items() if any(finding.severity == "error" for finding in group)]
    clean = max(summary.pages - len(by_page), 0)
    suite = Element("testsuite", name="hexapla check", tests=str(len(by_page) + bool(clean)),
                    failures=str(len(failed)), errors="0", skipped="0")
    for path, group in by_page.items():
        case = SubElement(suite, "testcase", classname="hexapla.check", name=xml_text(path), file=xml_text(path))
        for kind in ("failure", "system-out"):
            found = [finding for finding in group if (finding.severity == "error") is (kind == "failure")]
            if found:
                element = SubElement(case, kind)
                element.text = xml_text("\n".join(map(str, found)))
                if kind == "failure":
                    element.set("message", f"{len(found)} errors" if len(found) > 1 else xml_text(found[0].message))
                    element.set("type", found[0].rule)
    if clean:
        SubElement(suite, "testcase", classname="hexapla.check", name=f"{clean} pages without findings")
    root = Element("testsuites")
    root.append(suite)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def xml_text(words: str) -> str:
    """A text with U+FFFD for each character that XML cannot hold."""
    return NOT_XML.sub("\ufffd", words)
