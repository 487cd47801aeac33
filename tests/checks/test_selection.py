"""Which rules count: mkdocs.yml, pyproject.toml, the command line, and what each refuses."""

import pytest
import yaml
from hexapla.checks.engine import tree_check, unsaved_text
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import PAGE_RULES, RULES
from hexapla.checks.rules.selection import RuleSet, Selection, configured, of_options, of_settings
from hexapla.config.discovery import detect_layout
from hexapla.errors import ConfigError
from hypothesis import given
from hypothesis import strategies as st

from tests.checks.test_command import check, findings, lay

BROKEN = {
    "docs/en/a.md": "# A {#a}\n\n[x](gone.md)\n", "docs/zh/a.md": "# 甲\n\n[x](gone.md)\n",
    "docs/en/old/b.md": "# B {#b}\n\n[x](gone.md)\n", "docs/zh/old/b.md": "# 乙 {#c}\n",
    "docs/en/old/c.md": "# C {#c}\n\nIt takes 5 GB.\n", "docs/zh/old/c.md": "# 丙 {#c}\n\n需要 5 GB。\n",
}
I18N = {"i18n": {"docs_structure": "folder", "languages": [
    {"locale": "en", "name": "E", "default": True}, {"locale": "zh", "name": "Z"}]}}
UNBOUND = ["docs/en/old/c.md:3 figure-unbound", "docs/zh/old/c.md:3 figure-unbound"]
ALL = [
    "docs/en/a.md:3 link-target-missing", "docs/en/old/b.md:3 link-target-missing", "docs/zh/a.md:1 anchor-unpinned",
    "docs/zh/a.md:3 link-target-missing", "docs/zh/old/b.md:1 anchor-differs", "docs/zh/old/b.md:1 link-missing",
]


def configure(root, checks, pyproject=""):
    plugins = [I18N, {"hexapla": {} if checks is None else {"checks": checks}}]
    text = yaml.safe_dump({"plugins": plugins, "markdown_extensions": ["attr_list"]})
    lay(root, {"mkdocs.yml": text, "pyproject.toml": pyproject, **BROKEN})


@pytest.mark.parametrize(("checks", "options", "expected"), [
    (None, [], ALL),
    ({}, [], ALL),
    ({"select": ["anchor-differs", "anchor-unpinned"]}, [], [ALL[2], ALL[4]]),
    ({"select": []}, [], []),
    ({"ignore": ["link-target-missing"]}, [], [ALL[2], *ALL[4:]]),
    ({"per-page": {"docs/*/old/**": {"ignore": ["link-target-missing", "link-missing"]}}}, [],
     [ALL[0], *ALL[2:5]]),
    ({"per-page": {"docs/zh/*": {"select": ["anchor-unpinned"]}}}, [], ALL[:3]),
    (None, ["--select", "anchor-differs,link-missing", "--select", "anchor-unpinned"], [ALL[2], *ALL[4:]]),
    (None, ["--ignore", "link-missing", "--ignore", "anchor-differs, anchor-unpinned"], [*ALL[:2], ALL[3]]),
    ({"ignore": ["link-missing"], "select": ["anchor-differs"], "per-page": {"*": {"ignore": ["link-missing"]}}},
     ["--select", "link-missing"], [ALL[5]]),
    ({"select": ["link-missing"]}, ["--ignore", "link-missing"], []),
    ({"extend-select": ["figure-unbound"]}, [], [*ALL[:2], UNBOUND[0], *ALL[2:], UNBOUND[1]]),
    ({"extend-select": ["figure-unbound"], "select": ["link-missing"]}, [], [UNBOUND[0], ALL[5], UNBOUND[1]]),
    ({"extend-select": ["figure-unbound"], "ignore": ["figure-unbound"]}, [], ALL),
    ({"extend-select": ["figure-unbound"]}, ["--ignore", "figure-unbound"], ALL),
    ({"select": ["figure-unbound"]}, [], UNBOUND),
    (None, ["--select", "figure-unbound"], UNBOUND),
])
def test_rules_are_selected(tmp_path, checks, options, expected):
    configure(tmp_path, checks)
    for _ in range(2):  # the second time out of the cache
        assert check(tmp_path, *options)[0] == expected


@pytest.mark.parametrize(("checks", "options", "level", "status"), [
    (None, [], "error", 1),
    ({"severity": {"link-target-missing": "note"}}, [], "note", 0),
    ({"severity": {"link-target-missing": "note"}, "per-page": {"docs/**": {"severity": {
        "link-target-missing": "warning"}}}}, [], "warning", 1),
    ({"severity": {"link-target-missing": "note"}}, ["--severity", "link-target-missing=error"], "error", 1),
])
def test_a_severity_is_set_and_decides_the_exit_status(tmp_path, checks, options, level, status):
    configure(tmp_path, checks)
    found = findings(tmp_path, "--select", "link-target-missing", *options)
    assert {finding.severity for finding in found[0]} == {level}
    assert found[1] == status


def test_the_cache_holds_nothing_of_a_configuration(tmp_path):
    for checks in (None, {"select": ["link-missing"]}, {"ignore": ["link-missing"]}, {"severity": {
            "link-missing": "error"}}, {"per-page": {"docs/zh/*": {"ignore": ["link-missing"]}}}, None):
        configure(tmp_path, checks)
        cached = findings(tmp_path)[0]
        assert cached == findings(tmp_path, "--no-cache")[0]


def test_pyproject_is_read_where_mkdocs_yml_says_nothing(tmp_path):
    pyproject = '[tool.hexapla.checks]\nselect = ["link-missing", "anchor-differs"]\n'
    configure(tmp_path, None, pyproject)
    assert check(tmp_path)[0] == ALL[4:]
    configure(tmp_path, {"ignore": ["anchor-unpinned"]}, pyproject)
    assert check(tmp_path)[0] == [*ALL[:2], *ALL[3:]]
    (tmp_path / "mkdocs.yml").unlink()
    lay(tmp_path, {"pyproject.toml": '[tool.hexapla.checks.per-page]\n"docs/**" = {ignore = ["link-missing"]}\n'})
    assert "docs/zh/old/b.md:1 link-missing" not in check(tmp_path)[0]


def test_the_editor_obeys_the_configuration(tmp_path):
    configure(tmp_path, {"ignore": ["link-target-missing"]})
    checker = unsaved_text.overlay_checker(detect_layout(tmp_path), ())
    section = unsaved_text.SectionText("zh", "a", "# 甲 {#a}\n\n[x](gone.md)\n", "# A {#a}\n\n[x](gone.md)\n", "", "")
    assert not unsaved_text.check_section(checker, section)


def test_a_rule_that_is_not_selected_is_not_run(tmp_path, monkeypatch):
    configure(tmp_path, {"ignore": ["residue"]})
    monkeypatch.setattr("hexapla.checks.rules.text.machine_text.residue", lambda context: pytest.fail("it ran"))
    assert check(tmp_path)[0] == ALL


def test_marks_of_a_merge_are_a_rule_of_their_own(tmp_path):
    configure(tmp_path, None)
    marked, found = "# 甲 {#a}\n\n<<<<<<< ours\n\n[x](gone.md)\n", "docs/zh/a.md:3 merge-conflict"
    lay(tmp_path, {"docs/zh/a.md": f"{marked}\n<!-- hexapla: ignore-page residue: it is meant -->\n"})
    assert found in check(tmp_path, "--ignore", "residue")[0]
    lay(tmp_path, {"docs/zh/a.md": f"{marked}\n<!-- hexapla: ignore-page merge-conflict: it is meant -->\n"})
    assert found not in check(tmp_path)[0]


REFUSED = {
    "mkdocs.yml: hexapla.checks.ignore names 'link-mising', which is no rule; did you mean link-missing?":
        {"ignore": ["link-mising"]},
    "mkdocs.yml: hexapla.checks has the key 'ignores', which is none; did you mean ignore?": {"ignores": []},
    "mkdocs.yml: hexapla.checks.ignore is not a list of rules": {"ignore": "residue"},
    "mkdocs.yml: hexapla.checks.severity gives residue the level 'off', which is none; use error, warning or note":
        {"severity": {"residue": "off"}},
    "hexapla.checks.severity names 'residu', which is no rule; did you mean residue?": {"severity": {"residu": "note"}},
    "hexapla.checks.per-page 'docs/zh/**'.select names 'x', which is no rule; there are link-target-missing, ":
        {"per-page": {"docs/zh/**": {"select": ["x"]}}},
    "hexapla.checks.per-page 'a' has the key 'per-page', which is none": {"per-page": {"a": {"per-page": {}}}},
    "mkdocs.yml: hexapla.checks.per-page is not a mapping": {"per-page": ["docs/zh/**"]},
    "mkdocs.yml: hexapla.checks is not a mapping": ["residue"],
}


@pytest.mark.parametrize("says", REFUSED)
def test_a_mistake_in_the_configuration_is_one_sentence(says):
    with pytest.raises(ConfigError) as refused:
        of_settings(REFUSED[says], "mkdocs.yml: hexapla.checks")
    assert says in str(refused.value)


@pytest.mark.parametrize(("options", "says"), [
    (["--select", "link-mising"], "--select names 'link-mising', which is no rule; did you mean link-missing?"),
    (["--ignore", "residue,residu"], "--ignore names 'residu'"),
    (["--severity", "residue"], "write it as --severity RULE=LEVEL"),
    (["--severity", "residue=fatal"], "--severity gives residue the level 'fatal'"),
    (["--explain", "residu"], "--explain names 'residu', which is no rule; did you mean residue?"),
])
def test_a_mistake_in_the_options_is_one_sentence(tmp_path, options, says):
    lay(tmp_path, BROKEN)
    with pytest.raises(ConfigError, match=says.replace("?", r"\?")):
        check(tmp_path, *options)


def test_a_damaged_pyproject_is_named(tmp_path):
    configure(tmp_path, None, "[tool")
    with pytest.raises(ConfigError, match=r"pyproject.toml: is not TOML"):
        check(tmp_path)


IDS = st.sampled_from([rule.id for rule in RULES])
SELECTIONS = st.builds(
    Selection, st.none() | st.frozensets(IDS, max_size=4), st.frozensets(IDS, max_size=4),
    st.dictionaries(IDS, st.sampled_from(["error", "warning", "note"]), max_size=3),
)


@given(SELECTIONS, SELECTIONS, SELECTIONS, IDS)
def test_the_command_line_overrides_a_configuration(tree, page, command, rule):
    level = RuleSet(tree, (("docs/*", page),), command).severity(rule, "docs/zh/a.md")
    selected = command.select is None or rule in command.select or rule == "rule-failed"  # no selection hides a crash
    if rule in command.ignore or not selected:
        assert level is None
    elif command.select is not None:
        assert level is not None
    if level is not None and rule in command.severity:
        assert level == command.severity[rule]


@given(SELECTIONS, SELECTIONS, SELECTIONS)
def test_what_is_wanted_on_some_page_is_run(tree, page, command):
    rules = RuleSet(tree, (("docs/*", page),), command)
    run = {rule.id for rule in rules.run(PAGE_RULES)}
    assert {rule.id for rule in PAGE_RULES if rules.severity(rule.id, "docs/a.md")} <= run
    assert {rule.id for rule in PAGE_RULES if rules.severity(rule.id, "a.md")} <= run


def test_without_a_configuration_nothing_changes():
    found = [Finding("a.md", 1, 1, rule.id, "x", "x", severity=rule.severity) for rule in RULES]
    assert configured(found, RuleSet()) == found == configured(found, RuleSet(Selection(frozenset(
        rule.id for rule in RULES))))
    assert of_options([], [], []) == Selection()
    assert tree_check.rule_set(tree_check.Path("nowhere/mkdocs.yml")) == RuleSet()
