"""Rules of another package: run if the caller enables it, isolated, and told by its name."""

import contextlib
import importlib
import io
import json
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from hexapla import api
from hexapla.cache import Cache
from hexapla.checks.engine import other_packages, rule_runs, time_limit
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.tree_check import rule_set, tree_of
from hexapla.checks.engine.unsaved_text import SectionText
from hexapla.checks.rules.registry import PAGE_RULES, function_of
from hexapla.cli import check as cli_check
from hexapla.cli import make_parser
from hexapla.config.discovery import detect_layout
from hexapla.errors import ConfigError
from hexapla.reports import FORMATS
from hexapla.section_judge import check_section, overlay_checker

SOURCE = Path(__file__).with_name("third_party")
PROJECT = tomllib.loads((SOURCE / "pyproject.toml").read_text("utf-8"))["project"]
PAGES = {
    "docs/en/index.md": "# A {#a}\n", "docs/ja/index.md": "# あ {#a}\n\nTODO\n", "docs/zh/b.md": "# 乙 {#b}\n",
    "docs/en/b.md": "# B {#b}\n",
}


@pytest.fixture
def tree(tmp_path):
    for path, text in PAGES.items():
        file = tmp_path / "tree" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "tree"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The folder that the package is installed into, as an installer lays it out; nothing is fetched."""
    folder = tmp_path / "packages"
    shutil.copytree(SOURCE / "acme_rules", folder / "acme_rules")
    about = folder / f"acme_rules-{PROJECT['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n", encoding="utf-8")
    points = "".join(f"{name} = {place}\n" for name, place in PROJECT["entry-points"]["hexapla.rules"].items())
    (about / "entry_points.txt").write_text(f"[hexapla.rules]\n{points}", encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    forget()
    yield folder
    forget()


def forget():
    other_packages.load_packages.cache_clear()
    importlib.invalidate_caches()
    function_of.cache_clear()
    sys.modules.pop("acme_rules", None)


def check(root, *options, kind="json"):
    """The exit status and the report of the command."""
    chosen = make_parser("check").parse_args(["check", "--root", str(root), "--parity", *options])
    chosen.format = kind
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        status = cli_check.check(chosen)
    return status, shown.getvalue()


def found(root, *options, rules="acme-"):
    report = json.loads(check(root, *options)[1])
    return sorted((each["path"], each["line"], each["rule"]) for each in report["findings"]
                  if each["rule"].startswith(rules))


OWN = [("docs/ja/index.md", 1, "acme-longer"), ("docs/ja/index.md", 3, "acme-todo"),
       ("docs/zh/index.md", 1, "acme-front")]
ENABLED = ("--rules-from", "Acme_Rules")


def test_an_installed_package_is_off_until_the_caller_enables_it(tree, installed, monkeypatch):
    assert found(tree) == []
    assert "acme_rules" not in sys.modules
    assert found(tree, *ENABLED) == OWN
    assert found(tree, *ENABLED) == OWN  # from the cache
    monkeypatch.setenv("HEXAPLA_RULES_FROM", "acme-rules")
    assert found(tree) == OWN


def test_a_tree_enables_no_package(tree, installed):
    for key in ("rules-from", "packages"):
        (tree / "pyproject.toml").write_text(f'[tool.hexapla.checks]\n{key} = ["acme-rules"]\n', encoding="utf-8")
        with pytest.raises(ConfigError, match="which is none"):
            check(tree)
        assert "acme_rules" not in sys.modules


def test_its_rules_are_configured_like_any(tree, installed):
    assert found(tree, *ENABLED, "--select", "acme-todo") == OWN[1:2]
    assert found(tree, *ENABLED, "--ignore", "acme-todo,acme-front") == OWN[:1]
    (tree / "pyproject.toml").write_text('[tool.hexapla.checks.severity]\nacme-todo = "error"\n', encoding="utf-8")
    report = json.loads(check(tree, *ENABLED)[1])
    assert [each["severity"] for each in report["findings"] if each["rule"] == "acme-todo"] == ["error"]
    with pytest.raises(ConfigError, match="which is no rule"):
        check(tree)


def test_a_row_that_is_refused_is_told_in_one_sentence_with_its_package(tree, installed):
    report = json.loads(check(tree, *ENABLED)[1])
    refused = sorted(each["message"] for each in report["findings"] if each["rule"] == "rule-failed")
    assert refused == [
        "the package acme-rules has the rule 'acme-level' with a severity or a scope that is none",
        "the package acme-rules has the rule 'acme-todo', an id that is taken",
        "the package acme-rules has the rule 'residue', an id that is taken",
    ]


FAILS = {
    "acme-raises": "fails on this page: KeyError in __init__.py:",
    "acme-raises-tree": "fails on this tree: KeyError in __init__.py:",
    "acme-slow": "takes more than 20 seconds on this page and was stopped",
    "acme-strange": "fails on this page: TypeError in rule_runs.py:",
    "acme-foreign": "fails on this page: TypeError in rule_runs.py:",
    "acme-absent": "fails on this page: AttributeError in registry.py:",
}


@pytest.mark.parametrize("rule", FAILS)
def test_a_rule_that_fails_is_told_by_its_package_and_the_others_run_on(tree, installed, monkeypatch, rule):
    monkeypatch.setattr(rule_runs, "TimeLimit", lambda: time_limit.TimeLimit(0.5))
    (tree / "pyproject.toml").write_text(f'[tool.hexapla.checks]\nextend-select = ["{rule}"]\n', encoding="utf-8")
    status, text = check(tree, *ENABLED)
    findings = json.loads(text)["findings"]
    failed = [each for each in findings if each["message"].startswith("the rule")]
    assert status == 3 and failed
    assert all(each["rule"] == "rule-failed" for each in failed)
    assert all(f"the rule {rule} of the package acme-rules {FAILS[rule]}" in each["message"] for each in failed)
    assert all(each["hint"].startswith("report it to the authors of acme-rules") for each in failed)
    assert all(("traceback" in each) == (rule != "acme-slow") for each in failed)
    assert set(OWN) <= {(each["path"], each["line"], each["rule"]) for each in findings}


@pytest.mark.parametrize("kind", FORMATS)
def test_every_report_takes_its_findings(tree, installed, kind):
    assert "acme-todo" in check(tree, *ENABLED, kind=kind)[1]


def test_a_rule_is_explained(tree, installed):
    text = check(tree, *ENABLED, "--explain", "acme-todo")[1]
    assert "Package: acme-rules" in text and "A page says TODO." in text


def test_a_package_that_cannot_be_loaded_is_told_and_hexapla_s_own_rules_run(tree, installed):
    (installed / "acme_rules/__init__.py").write_text("import no_such_module_at_all\n", encoding="utf-8")
    forget()
    (tree / "docs/ja/index.md").write_text("# あ {#a}\n\n[x](gone.md)\n", encoding="utf-8")
    report = json.loads(check(tree, *ENABLED)[1])
    messages = {each["rule"]: each["message"] for each in report["findings"]}
    assert messages["rule-failed"].startswith(
        "the rules of the package acme-rules cannot be loaded: ModuleNotFoundError")
    assert "link-target-missing" in messages


def test_a_package_that_is_not_installed_is_refused(tree):
    with pytest.raises(ConfigError, match="names 'no-such-rules', which is not installed"):
        check(tree, "--rules-from", "no-such-rules")


def test_the_cache_s_key_has_the_version_and_the_code(tree, installed):
    def key():
        forget()
        selected = rule_set(tree / "mkdocs.yml", others=other_packages.load_rules(["acme-rules"]))
        layout = detect_layout(tree)
        checker = Checker(tree_of(layout, ()), Cache(None), None, selected.run(PAGE_RULES), selected)
        return checker.key, *sorted(checker.groups)

    first = key()
    assert key() == first
    file = installed / "acme_rules/__init__.py"
    file.write_text(file.read_text("utf-8").replace("not finished", "unfinished"), encoding="utf-8")
    second = key()
    about = next(installed.glob("*.dist-info"))
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 9\n", encoding="utf-8")
    assert len({first, second, key()}) == 3


def test_the_api_and_the_judge_of_sections_run_them_too(tree, installed, monkeypatch):
    outcome = api.check_tree(tree, rules_from=["acme-rules"], cached=False)
    assert {each.rule for each in outcome.findings} >= {"acme-todo", "acme-longer", "acme-front"}
    monkeypatch.setenv("HEXAPLA_RULES_FROM", "acme-rules")
    checker = overlay_checker(detect_layout(tree), ())
    text = "# あ {#a}\n\nTODO\n"
    judged = check_section(checker, SectionText("ja", "index", text, PAGES["docs/en/index.md"], text,
                                                PAGES["docs/en/index.md"]))
    assert "acme-todo" in {each.rule for each in judged}
