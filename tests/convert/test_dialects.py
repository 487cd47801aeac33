"""Pages and trees of Docusaurus and Hugo become ours and go back: by example, and as a law."""

from pathlib import Path

import pytest
import yaml
from hexapla.cli import main
from hexapla.convert.conversion_records import LinkIndex
from hexapla.convert.headings import former_ids, give_ids
from hexapla.convert.prose import find_written, renumber_notes
from hexapla.convert.source_formats import DIALECTS, dialect_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.site.project import build, write

CASES = {
    name: yaml.safe_load((Path(__file__).parents[1] / f"cases/convert/{name}.yml").read_text(encoding="utf-8"))
    for name in ("docusaurus", "hugo")
}
PAGES = frozenset({"page", "trainer", "guides/tour"})


def converted(name, text):
    """A page of ours, the kinds of notes taken, and the index that takes it back."""
    dialect, kinds = DIALECTS[name], []
    headings = dialect.read_headings(text)
    ids = give_ids(headings, None)
    now, was = former_ids(headings, ids)
    index = LinkIndex(PAGES, {"page": now}, {"page": was})

    def note(kind, line, message):
        assert 1 <= line <= text.count("\n") + 1
        kinds.append(kind)

    return dialect.to_site(text, "page", index, headings, ids, note), kinds, index


@pytest.mark.parametrize(("name", "case"), [
    pytest.param(name, case, id=f"{name}: {case['name']}") for name, cases in CASES.items() for case in cases
])
def test_a_page_becomes_ours_and_goes_back(name, case):
    ours, kinds, index = converted(name, case["theirs"])
    assert ours == case["ours"]
    assert sorted(kinds) == sorted(case.get("notes", []))
    assert DIALECTS[name].from_site(ours, "page", index) == case["theirs"]


def test_links_that_cannot_be_taken_back_stay_and_are_told():
    text = '[a](./trainer.mdx), [b](c.mdx){data-link="d"}\n'
    assert converted("docusaurus", text)[:2] == (text, ["links"])


def test_notes_count_the_lines_of_markdown():
    taken = []
    renumber_notes(lambda kind, line, message: taken.append(line), ["a\x0bb\u2028c\n", "d\n"])("kind", 2, "message")
    assert taken == [2]


PIECES = {name: [line for case in cases for line in case["theirs"].splitlines()] for name, cases in CASES.items()}
OTHERS = [
    "", "", "", "text", "- item", "  more", "  - b", "1. d", "   - c", "```", "> quoted", "<!--", "-->", "|a|b|",
    "|-|-|", "&#32;", "&amp;",
]


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=120, deadline=None, derandomize=True)
@given(data=st.data())
def test_what_is_taken_back_is_what_was_there(name, data):
    lines = data.draw(st.lists(
        st.tuples(st.sampled_from(["", "", "", "  ", "    "]), st.sampled_from(PIECES[name] + OTHERS)), max_size=14))
    text = "\n".join(indent + line for indent, line in lines)
    assume(find_written(DIALECTS[name].ours, text) is None)
    ours, _, index = converted(name, text)
    assert DIALECTS[name].from_site(ours, "page", index) == text


TREES = {
    "docusaurus": {
        "docusaurus.config.js": "x",
        "docs/intro.md": "# Intro\n\n:::note\n\nA.\n\n:::\n\n[t](./guides/tour.md#steps)\n",
        "docs/guides/tour.md": "# Tour\n\n## Steps\n", "docs/img/a.png": b"\x89PNG",
        "i18n/ja/docusaurus-plugin-content-docs/current/intro.md":
            "# はじめに\n\n:::note[注意]\n\nA.\n\n:::\n\n[t](./guides/tour.md#steps)\n",
        "i18n/ja/docusaurus-plugin-content-docs/current/guides/tour.md": "# ツアー\n\n## 手順\n",
    },
    "hugo": {
        "content/en/_index.md": "---\ntitle: Kit\n---\n\n[t](/guides/tour/#steps)\n",
        "content/en/guides/_index.md": "# Guides\n", "content/en/guides/tour.md": "# Tour\n\n## Steps\n\n[up](../)\n",
        "content/ja/_index.md": "---\ntitle: キット\n---\n\n[t](/ja/guides/tour/#手順)\n",
        "content/ja/guides/_index.md": "# ガイド\n", "content/ja/guides/tour.md": "# ツアー\n\n## 手順\n",
    },
}


@pytest.mark.parametrize("name", TREES)
def test_a_tree_comes_over_stands_and_goes_back(capsys, tmp_path, name):
    theirs, ours, again = write(tmp_path / "theirs", TREES[name]), tmp_path / "ours", tmp_path / "again"
    assert dialect_of(theirs) == name
    assert main(["convert", str(theirs), str(ours), "--write"]) == (name == "docusaurus")  # it has no home page
    write(ours, {"docs/en/index.md": "# Home {#home}\n"} if name == "docusaurus" else {})
    built = build(ours, "--strict")
    assert built.status == 0, built.said
    assert 'href="guides/tour/#steps"' in built.page("index.html" if name == "hugo" else "intro/index.html").replace(
        "../guides", "guides")
    assert "## 手順 {#steps}" in (ours / "docs/ja/guides/tour.md").read_text(encoding="utf-8")
    main(["check", "--root", str(ours)])
    assert " error " not in capsys.readouterr().out
    (ours / "docs/en/index.md").unlink() if name == "docusaurus" else None
    assert main(["convert", str(ours), str(again), "--to", name, "--write"]) == 0
    pages = {path.relative_to(again).as_posix(): path.read_bytes() for path in again.rglob("*") if path.is_file()}
    assert pages == {path: text.encode() if isinstance(text, str) else text for path, text in TREES[name].items()
                     if not path.endswith(".js")}


def test_two_pages_for_one_place_are_one_sentence(capsys, tmp_path):
    theirs = write(tmp_path / "theirs", {"content/en/_index.md": "# A\n", "content/en/index.md": "# B\n"})
    assert main(["convert", str(theirs), str(tmp_path / "ours"), "--write"]) == 2
    assert "there is index.md beside it" in capsys.readouterr().err
    assert not (tmp_path / "ours").exists()


@pytest.mark.parametrize("name", CASES)
def test_a_tree_that_is_ours_already_is_one_sentence(capsys, tmp_path, name):
    page = {"hugo": "content/en/a.md"}.get(name, "docs/a.md")
    theirs = write(tmp_path / "theirs", {page: "# A\n\n<!-- kept: x -->\n\n!!! note\n    x\n"})
    assert main(["convert", str(theirs), str(tmp_path / "ours"), "--from", name, "--write"]) == 2
    assert "is this site's own Markdown" in capsys.readouterr().err


def test_settings_name_a_dialect_before_the_files_do(tmp_path):
    write(tmp_path, {"docusaurus.config.js": "", "hexapla.toml": '[tool.hexapla]\nframework = "hugo"\n'})
    assert dialect_of(tmp_path) == "hugo"
