"""A page copied from a browser takes the form of its parallel page: by example, and as a law about its text."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
import yaml
from hexapla.cli import main
from hexapla.convert.scraped.inline import read_marks
from hexapla.convert.scraped.restored_page import read_lines, restore_text
from hexapla.convert.scraped.site_words import NO_WORDS, read_names, site_words
from hexapla.convert.tree_conversion import EXTENSIONS
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown import Markdown

from tests.site.project import write

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/convert/restored.yml").read_text(encoding="utf-8"))
NEIGHBOURS = yaml.safe_load(
    (Path(__file__).parents[1] / "cases/convert/neighbours.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_scraped_page_is_restored_beside_its_parallel_page(case):
    made = restore_text(case["scraped"], case["parallel"], "en.md", "ja.md", NO_WORDS)
    assert made.text == case["restored"]
    assert sorted(note.kind for note in made.notes) == case.get("notes", [])
    assert len(made.removed) == case.get("removed", 0)
    assert all(0.5 < thing.confidence <= 1 for thing in made.things)
    for thing in made.things:
        assert thing.line <= made.text.count("\n")


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_links_lead_only_where_the_parallel_page_leads(case):
    made = restore_text(case["scraped"], case["parallel"], "en.md", "ja.md", NO_WORDS)
    targets = {mark.target for mark in read_marks(case["parallel"])[1]}
    assert {mark.target for mark in read_marks(made.text)[1]} <= targets


def visible(text):
    """The characters that a Markdown library shows of a page, without space."""
    html = Markdown(extensions=[*EXTENSIONS], extension_configs={"toc": {"permalink": False}}).convert(text)
    return "".join(unescape(re.sub(r"<!--.*?-->|<[^<>]*>", "", html, flags=re.S)).split())


PARALLEL = "\n\n".join(case["parallel"] for case in CASES if not case["parallel"].startswith("---"))
LINES = [line for case in CASES for line in case["scraped"].splitlines() if "\t" not in line] + [
    "", "", "", "# x", "## x {#y}", "- a", "+ b", "1. c", "2) d", "*a* _b_ **c**", "[x](javascript:y)", "[x]: y",
    "<script>alert(1)</script>", "<!-- x -->", "a {: onclick=x }", "|a|b|", "`c` ``d", "!!! note", "```", "~~~",
    "=== \"t\"", ": e", "---", "***", "===", "> q", "a\\*b", "*[HTML]: x", "5 * 3 * 2", "a_b_c __init__", "??? x",
    "[^1]: z", "&amp; &lt;", "/// note",
]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(lines=st.lists(st.sampled_from(LINES), max_size=16))
def test_no_character_of_the_text_changes(lines):
    scraped = "\n".join(lines)
    made = restore_text(scraped, PARALLEL, "en.md", "ja.md", NO_WORDS)
    kept = [line.text for line in read_lines(scraped) if line.number not in made.removed]
    shown = visible(made.text)
    for text in kept:
        bare = "".join(text.removesuffix("¶").split())
        assert bare in shown or re.sub(r"^(?:[-+*•]|\d+[.)])", "", bare) in shown
    assert "<script" not in made.text and "{: onclick" not in made.text.replace("\\{", "")


def test_other_pages_of_the_language_say_what_a_link_is_called():
    english = {"a.md": "# A {#a}\n\nAs [the page on memory](m.md) shows.\n", "m.md": "# Memory {#m}\n",
               "b.md": "# B {#b}\n\nSee [the page on memory](m.md).\n"}
    ours = {"m.md": "# メモリ {#m}\n", "b.md": "# B {#b}\n\n[メモリのページ](m.md)を参照。\n"}
    known = site_words("a.md", read_names(english), read_names(ours))
    made = restore_text("A\n\nメモリのページが示すとおりです。\n", english["a.md"], "en", "ja", known)
    assert "[メモリのページ](m.md)が示すとおりです。" in made.text


@pytest.mark.parametrize("case", NEIGHBOURS, ids=lambda case: case["name"])
def test_what_other_pages_say_of_a_link(case):
    known = site_words("a.md", read_names(case["english"]), read_names(case["ours"]))
    assert case["holds"] in restore_text(case["scraped"], case["english"]["a.md"], "en", "ja", known).text


def test_nothing_is_included_that_the_parallel_page_does_not_include():
    parallel = "# A {#a}\n\n```\ncat demo/secret.py shown\n```\n"
    made = restore_text('甲\n\n--8<-- "demo/secret.py:shown"\n', parallel, "en", "zh", NO_WORDS)
    assert "8<-" not in made.text


@pytest.fixture
def project(tmp_path):
    case = CASES[0]
    return write(tmp_path, {
        "docs/en/page.md": case["parallel"], "docs/ja/other.md": "# 他\n", "copied.txt": case["scraped"]})


def command(project, *more):
    return main(["convert", "--beside", str(project / "docs/en/page.md"), str(project / "copied.txt"),
                 str(project / "docs/ja/page.md"), *more])


def test_nothing_is_written_unless_it_is_asked_for(project, capsys):
    assert command(project) == 0
    printed = capsys.readouterr().out
    assert "+# モデルの読み込み {#loading}" in printed and "nothing was written" in printed
    assert re.search(r"page\.md:1: 0\.\d\d heading: モデルの読み込み", printed)
    assert not (project / "docs/ja/page.md").exists()


def test_a_restored_page_is_written_and_never_over_another(project, capsys):
    assert command(project, "--write", "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    written = (project / "docs/ja/page.md").read_text(encoding="utf-8")
    assert report["page"] == written == CASES[0]["restored"]
    assert report["written"] and len(report["removed"]) == 6 and report["restored"][0]["kind"] == "heading"
    assert command(project, "--write") == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(("change", "says"), [
    (lambda project: (project / "copied.txt").write_text(" \n"), "holds no text"),
    (lambda project: (project / "copied.txt").write_bytes(b"\xff\xfe"), "is not UTF-8"),
    (lambda project: (project / "docs/en/page.md").unlink(), "is no file"),
    (lambda project: (project / "copied.txt").write_text("x\n" * 1_500_000), "too long"),
])
def test_bad_input_is_one_sentence(project, capsys, change, says):
    change(project)
    assert command(project, "--write") == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1
    assert not (project / "docs/ja/page.md").exists()


def test_a_dialect_and_a_parallel_page_exclude_each_other(project, capsys):
    assert command(project, "--to", "hugo") == 2
    assert "--beside restores one page" in capsys.readouterr().err


SEEDS = Path(__file__).parents[3] / "shared/seeds"


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the documents that the project started from are not here")
def test_the_japanese_seed_gets_its_headings_back():
    scraped, clean, parallel = (
        (SEEDS / name).read_text(encoding="utf-8")
        for name in ("ja-performance.scraped.txt", "ja-performance.txt", "zh-performance.txt"))
    made = restore_text(scraped, parallel, "zh.md", "ja.md", NO_WORDS)
    headings = re.compile(r"^#+ .*", re.M)
    assert headings.findall(made.text) == headings.findall(clean)
    assert len(made.removed) == 51
    assert sum("link" in note.message for note in made.notes) == 13  # their words are not in the scraped text
