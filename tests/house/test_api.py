"""The public face: its examples run, its errors are those it names, and it costs nobody what they do not use."""

import ast
import doctest
import inspect
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest
from hexapla import api
from hexapla.checks.context import Document
from hexapla.checks.engine.other_packages import refusal_reason
from hexapla.errors import ConfigError

FUNCTIONS = ("check_text", "check_tree", "parse_page", "repair", "status")
TREE = {
    "docs/en/a.md": "# A {#a}\n\nSee [b](b.md#b).\n", "docs/en/b.md": "# B {#b}\n",
    "docs/zh/a.md": "# 甲 {#a}\n\n见[乙](b.md#b)。\n", "docs/zh/b.md": "# 乙 {#b}\n",
    "docs/zh/notes.txt": "no page",
}


@pytest.fixture
def tree(tmp_path):
    for path, text in TREE.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def test_the_examples_run():
    failed, tried = doctest.testmod(api)
    assert (failed, tried > 4) == (0, True)


def test_an_import_brings_no_site_generator_and_no_library_of_numbers():
    code = "import sys, hexapla.api; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "hexapla.api" in loaded
    assert not {"mkdocs", "torch", "transformers", "numpy", "opencc", "ray", "rich", "jinja2", "argparse"} & set(loaded)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_typed_and_explained(name):
    function = getattr(api, name)
    hints = typing.get_type_hints(function, {**vars(api), "Repair": api.mojibake.Repair})
    assert hints.keys() == {*inspect.signature(function).parameters, "return"}
    assert inspect.getdoc(function)
    assert name in api.__all__


def signatures(code):
    """By name: the arguments and the result of each function of a text of Python."""
    found = (node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef))
    return {each.name: f"({ast.unparse(each.args)}) -> {ast.unparse(each.returns).strip(chr(39))}" for each in found}


def blocks(language):
    """The Python on the page that explains the API."""
    page = Path(__file__).parents[2] / f"docs/{language}/tools/api.md"
    return re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_page_has_the_signatures_of_the_code(language):
    shown = {name: said for block in blocks(language) if ": ...\n" in block or ") -> Outcome: ..." in block
             for name, said in signatures(block).items()}
    code = signatures(Path(api.__file__).read_text("utf-8"))
    assert shown == {name: code[name] for name in FUNCTIONS}


def test_the_example_of_the_page_runs(tmp_path, monkeypatch, capsys):
    for code, text in (("en", "# A {#a}\n\nThe limit is 4.\n"), ("ja", "# A {#a}\n\n上限は5。\n")):
        (tmp_path / "my-docs/docs" / code).mkdir(parents=True)
        (tmp_path / "my-docs/docs" / code / "index.md").write_text(text, encoding="utf-8")
    (tmp_path / "my-docs/mkdocs.yml").write_text(
        "site_name: a\nplugins:\n  - i18n:\n      docs_structure: folder\n      languages:\n"
        "        - {locale: en, name: English, default: true}\n        - {locale: ja, name: 日本語}\n")
    monkeypatch.chdir(tmp_path)
    (block,) = (each for each in blocks("en") if each.startswith("from hexapla.api import check_tree"))
    exec(block, {})
    assert "number-differs" in capsys.readouterr().out


def test_the_rule_that_the_page_shows_is_taken_and_finds():
    (block,) = (each for each in blocks("en") if "def rules" in each)
    made = {}
    exec(block, made)
    (row,) = made["rules"]()
    assert refusal_reason(row, ()) == ""
    context = api.RuleContext(Document("a", "en", "a.md", api.parse_page("x\nTODO\n")), None, None, None)
    assert [(each.rule, each.line) for each in made["todo"](context)] == [("acme-todo", 2)]


def test_the_package_says_that_it_is_typed():
    assert Path(api.__file__).with_name("py.typed").is_file()


def test_records_are_frozen(tree):
    outcome = api.check_tree(tree, cached=False)
    (page, *_) = api.status(tree)
    for record, field in ((outcome, "findings"), (api.parse_page("x"), "links"), (page, "language"),
                          (api.repair("x"), "text")):
        with pytest.raises(AttributeError):
            setattr(record, field, None)


def test_links_and_anchors_are_filled():
    page = api.parse_page("## A b\n\n[c](d.md)\n", "github")
    assert [each.anchor for each in page.headings] == ["a-b"]
    assert [each.target for each in page.links] == ["d.md"]


def test_a_text_is_checked_as_if_it_were_saved(tree):
    assert api.check_text(tree, "docs/zh/a.md", TREE["docs/zh/a.md"]) == ()
    found = api.check_text(tree, tree / "docs/zh/a.md", "# 甲 {#a}\n\n见[乙](c.md#b)。\n")
    assert {(each.path, each.line) for each in found} == {("docs/zh/a.md", 3)}
    assert {each.rule for each in found} == {"link-target-missing", "link-differs"}
    assert (tree / "docs/zh/a.md").read_text("utf-8") == TREE["docs/zh/a.md"]
    assert not (tree / ".hexapla").exists()


def test_a_tree_is_checked_in_part_and_by_chosen_rules(tree):
    (tree / "docs/zh/a.md").write_text("# 甲 {#a}\n\n见[乙](c.md)。\n", encoding="utf-8")
    rules = {each.rule for each in api.check_tree(tree, cached=False).findings}
    assert rules == {"link-target-missing", "link-differs"}
    assert not api.check_tree(tree, ["docs/zh/b.md"], cached=False).findings
    assert not api.check_tree(tree, ignore=["link-target-missing", "link-differs"], cached=False).findings


def test_the_status_of_pages(tree):
    assert {(each.page, each.language) for each in api.status(tree)} == {("a", "zh"), ("b", "zh")}
    assert [each.page for each in api.status(tree, ["a"], "zh")] == ["a"]


REFUSED = {
    "no dialect": (lambda root: api.parse_page("x", "asciidoc"), ValueError, "'asciidoc' is no dialect; use one of"),
    "bytes of a page": (lambda root: api.parse_page(b"x"), ValueError, "this is bytes, not text"),
    "bytes to repair": (lambda root: api.repair(b"x"), ValueError, "this is bytes, not text"),
    "bytes to check": (lambda root: api.check_text(root, "docs/zh/a.md", b"x"), ValueError, "this is bytes, not text"),
    "a text outside": (lambda root: api.check_text(root, "../a.md", "x"), ConfigError, "../a.md: lies outside of"),
    "a path outside": (lambda root: api.check_tree(root, ["/etc/hosts"]), ConfigError, "/etc/hosts: lies outside of"),
    "no page": (lambda root: api.check_text(root, "docs/zh/notes.txt", "x"), ConfigError, "is no page of"),
    "no file": (lambda root: api.check_tree(root, ["docs/zh/gone.md"]), ConfigError, "no such file"),
    "no rule": (lambda root: api.check_tree(root, select=["nonsense"]), ConfigError, "is no rule"),
    "no folder": (lambda root: api.check_tree(root / "gone"), ConfigError, "is no folder"),
    "no page to tell of": (lambda root: api.status(root, ["gone"]), ConfigError, "gone: is no page of this tree"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_refused_as_documented(tree, what):
    call, error, says = REFUSED[what]
    with pytest.raises(error, match=says):
        call(tree)
