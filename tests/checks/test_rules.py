"""The table of rules against the code that raises them and the pages that explain them."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from hexapla.checks.finding import Finding
from hexapla.checks.rules import manual
from hexapla.checks.rules.manual import explain_rule
from hexapla.checks.rules.registry import BY_ID, PAGE_RULES, RULES, SCOPES, TREE_RULES

ROOT = Path(__file__).parents[2]
LEVELS = {
    "en": {"Error. ": "error", "Warning. ": "warning", "Note. ": "note"},
    "zh": {"错误。": "error", "警告。": "warning", "提示。": "note"},
    "ja": {"エラー。": "error", "警告。": "warning", "注記。": "note"},
}
# Classes whose calls carry a rule's id, and which argument it is.
CARRIERS = {"Violation": 0, "Problem": 0, "SectionError": 0, "FindingGroup": 0, "Finding": 3}
KEYWORDS = ("checks", "reports", "cli", "section_judge.py", "api.py")  # where findings are made by keyword alone


def emitted():
    """Every rule id that the package's code gives to a finding, a violation or a parser's problem."""
    for file in (ROOT / "tools/hexapla").rglob("*.py"):
        if "mojibake" in file.relative_to(ROOT / "tools/hexapla").parts[:1]:
            continue  # its Finding is another's
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            argument = CARRIERS.get(name, 0 if name == "found" else None)
            if argument is not None and len(node.args) > argument and isinstance(node.args[argument], ast.Constant):
                yield node.args[argument].value
            if name == "Finding":
                yield from (each.value.value for each in node.keywords
                            if each.arg == "rule" and isinstance(each.value, ast.Constant))


def test_findings_are_made_with_keyword_arguments():
    for file in (ROOT / "tools/hexapla").rglob("*.py"):
        if file.relative_to(ROOT / "tools/hexapla").parts[0] in KEYWORDS:
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                    assert not node.args, f"{file}:{node.lineno}"


def test_a_subject_is_the_thing_found_and_has_no_words_of_ours():
    for file in (ROOT / "tools/hexapla/checks/rules").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Violation":
                said = [part.value for part in ast.walk(node.args[1]) if isinstance(part, ast.Constant)]
                names = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                assert not [text for text in said if isinstance(text, str) and re.search(r"[a-z]", text)], file
                assert not names & {"message", "hint", "counts"}, file


def sections(language):
    """By rule: the first paragraph of its section."""
    text = (ROOT / f"docs/{language}/tools/rules.md").read_text("utf-8")
    return dict(re.findall(r"^### ([a-z-]+) \{#\1\}\n\n(.+)", text, re.M))


def test_every_rule_that_is_raised_is_in_the_table_and_the_reverse():
    assert set(emitted()) == set(BY_ID)


def test_an_id_is_a_rule_s_own_and_its_function_exists():
    assert len(BY_ID) == len(RULES)
    assert {rule.scope for rule in RULES} == set(SCOPES)
    assert {rule for rule in RULES if rule.function} == {*PAGE_RULES, *TREE_RULES}
    assert all(callable(rule.check) for rule in PAGE_RULES)
    assert all(callable(rule.check_tree) for rule in TREE_RULES)


@pytest.mark.parametrize("language", LEVELS)
def test_every_rule_has_a_section_that_says_its_severity(language):
    levels = {
        rule: next((level for word, level in LEVELS[language].items() if text.startswith(word)), "")
        for rule, text in sections(language).items()
    }
    assert levels == {rule.id: rule.severity for rule in RULES}


def test_a_summary_is_the_first_sentence_of_its_section():
    for rule, text in sections("en").items():
        said = manual.summarize_rule(BY_ID[rule])
        assert said.endswith(".") and text.partition(". ")[2].startswith(said)
    assert manual.summarize_rule(BY_ID["encoding"]) == "A page is not UTF-8, or cannot be read."
    assert manual.summarize_rule(BY_ID["encoding"]._replace(summary="Another package's.")) == "Another package's."


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_explained(rule):
    text = explain_rule(rule)
    head = f"{rule.id}\n\nSeverity: {rule.severity}\nScope: {SCOPES[rule.scope]}\n\n"
    assert text.startswith(head + manual.summarize_rule(rule))
    assert all(text.count(f"\n- {label}: ") == 1 for label in ("Why", "Example", "To fix"))
    assert "<!--" not in text and "#" not in text.partition("Example: ")[0].partition("Why: ")[2]


def test_an_installation_carries_the_page(monkeypatch):
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    packed = {ROOT / source: ROOT / "tools" / target for source, target in wheel["force-include"].items()}
    assert packed == {manual.CHECKOUT: manual.PACKED}
    page = (ROOT / "docs/en/tools/rules.md").read_text("utf-8")
    assert page == manual.CHECKOUT.read_text("utf-8")


def test_a_packed_page_is_read_first(tmp_path, monkeypatch):
    monkeypatch.setattr(manual, "PACKED", tmp_path / "rules.md")
    (tmp_path / "rules.md").write_text("### residue {#residue}\n\nError. Packed.\n", encoding="utf-8")
    assert explain_rule(BY_ID["residue"]).endswith("Packed.\n")


def test_a_finding_without_a_subject_is_its_file_s():
    assert Finding(path="a", line=1, column=1, rule="encoding", message="x", hint="y").subject == ""
