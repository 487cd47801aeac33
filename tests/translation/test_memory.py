"""The translation memory: sections put where the source has them now, suggestions in exports, TMX files, offers."""

import polib
import pytest
from hexapla.cli import main
from hexapla.errors import ConfigError
from hexapla.git import Repository
from hexapla.translation.history.changes import SourceHistory
from hexapla.translation.memory.near_matches import section_offers
from hexapla.translation.memory.pairs import memory_key, pair_section, replace_link_targets
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.memory.tmx import parse_tmx

from tests.site.project import git
from tests.translation.test_state import PAGES, told, tree, write

LAYOUT = ("--layout", "docs/{lang}/{page}.md")
OTHER = {
    "docs/en/folder/other.md": "# Other {#other}\n\nElse.\n", "docs/zh/folder/other.md": "# 其他 {#other}\n\n别的。\n",
}
FIRST = "## First {#first}\n\nSee [the end](#second), one two three four.\n"
LINKED = {
    "docs/en/page.md": PAGES["docs/en/page.md"].replace("## First {#first}\n\nOne two three four.\n", FIRST),
    "docs/zh/page.md": PAGES["docs/zh/page.md"].replace("一二三四。", "见[末尾](#second)，一二三四。"),
}


def run(root, capsys, *arguments):
    """Run a command; returns what it printed."""
    capsys.readouterr()
    status = main([*arguments, "--root", str(root), *LAYOUT])
    return status, capsys.readouterr().out


@pytest.fixture
def root(tmp_path):
    """Pages that are all current, in git."""
    write(tmp_path, LINKED | OTHER)
    main(["sync", "docs/en", "--reviewed", "--write", "--root", str(tmp_path), *LAYOUT])
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    return tmp_path


def states(root):
    """What is not current."""
    from hexapla.translation.tracking import tree_status

    return list(told(tree_status(tree(root))))


def test_a_moved_section_goes_where_the_source_has_it_with_the_links_of_today(root, capsys):
    moved = FIRST.replace("## First {#first}", "### First {#one}").replace("(#second)", "(../page.md#second)")
    write(root, {
        "docs/en/page.md": LINKED["docs/en/page.md"].replace(FIRST + "\n", ""),
        "docs/en/folder/other.md": OTHER["docs/en/folder/other.md"] + "\n" + moved,
    })
    before = (root / "docs/zh/page.md").read_bytes()
    status, said = run(root, capsys, "sync", "docs/en", "--moves")
    assert (status, (root / "docs/zh/page.md").read_bytes()) == (0, before)
    assert "zh  folder/other#one  moved from docs/zh/page.md#first -> current\nnothing was written" in said
    run(root, capsys, "sync", "docs/en", "--moves", "--write")
    there = (root / "docs/zh/folder/other.md").read_text()
    assert there == "# 其他 {#other}\n\n别的。\n\n### 第一 {#one}\n\n见[末尾](../page.md#second)，一二三四。\n\n"
    assert "第一" not in (root / "docs/zh/page.md").read_text()
    assert "[one]\nsource " in (root / "translations/zh/folder/other.txt").read_text()
    assert "[first]\n-\n" in (root / "translations/zh/page.txt").read_text()
    assert states(root) == []
    assert run(root, capsys, "sync", "docs/en", "--moves", "--write")[1].startswith("nothing to record")


def test_a_page_that_was_renamed_in_the_source_is_renamed_in_the_translation(root, capsys):
    write(root, {"docs/en/page.md -> docs/en/new.md": ""})
    run(root, capsys, "sync", "docs/en", "--moves", "--write")
    assert (root / "docs/zh/new.md").read_text() == LINKED["docs/zh/page.md"]
    assert not (root / "docs/zh/page.md").exists()
    assert states(root) == []


def test_what_a_section_lacks_as_yet_is_not_taken_out_of_the_one_that_has_it(root, capsys):
    write(root, {"docs/en/folder/other.md": "# Other {#other}\n\nElse.\n\nMore.\n",
                 "docs/zh/folder/other.md": "# 其他 {#other}\n\n别的。\n\n更多。\n"})
    run(root, capsys, "sync", "docs/en", "--reviewed", "--write")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more")
    write(root, {"docs/en/folder/other.md": "# Other {#other}\n\nElse.\n\n## New {#new}\n\nMore.\n"})
    status, said = run(root, capsys, "sync", "docs/en", "--moves", "--write")
    assert status == 1
    assert "not recorded, the section 'new' needs texts of it" in said
    assert "更多。" in (root / "docs/zh/folder/other.md").read_text()


def test_merged_sections_are_put_together_and_a_draft_stays_a_draft(root, capsys):
    write(root, {"docs/en/page.md": LINKED["docs/en/page.md"].replace("## First {#first}\n\n", "")})
    run(root, capsys, "sync", "docs/en", "--moves", "--write")
    assert (root / "docs/zh/page.md").read_text() == LINKED["docs/zh/page.md"].replace("## 第一 {#first}\n\n", "")
    assert states(root) == []
    records = root / "translations/zh/page.txt"
    before, _, after = records.read_text().partition("[second]\n")
    source, translation, *rest = after.split("\n")
    records.write_text("\n".join([f"{before}[second]\n{source}", f"{translation.split(' reviewed')[0]} draft", *rest]))
    text = (root / "docs/en/page.md").read_text()
    write(root, {"docs/en/page.md": text.partition("## Second")[0],
                 "docs/en/last.md": "## Second" + text.partition("## Second")[2]})
    run(root, capsys, "sync", "docs/en", "--moves", "--write")
    assert states(root) == ["zh last#second draft 1"]


def test_exports_have_what_is_the_same_as_finished_and_what_is_near_as_fuzzy(root, capsys):
    new = "# New {#new}\n\nElse.\n\nSome words that open all.\n\nNothing is like it here.\n"
    write(root, {"docs/en/new.md": new})
    run(root, capsys, "export", "new", "--format", "po", "--output", str(root / "out"))
    entries = {entry.msgid: entry for entry in polib.pofile(str(root / "out/zh/new.po"))}
    same, near, none = (entries[text] for text in new.strip().split("\n\n")[1:])
    assert (same.msgstr, same.fuzzy) == ("别的。", False)
    assert "translation memory: docs/zh/folder/other.md#other" in same.comment
    assert (near.msgstr, near.fuzzy, near.previous_msgid) == ("开头。", True, "Some words that open it.")
    assert "%, docs/zh/page.md#page" in near.comment
    assert (none.msgstr, none.comment) == ("", "paragraph")
    run(root, capsys, "export", "new", "--format", "xliff", "--output", str(root / "out"))
    assert "translation memory\">docs/zh/folder/other.md#other<" in (root / "out/zh/new.xlf").read_text()


TMX = """<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en-US"><seg>Brought <hi>along</hi>.</seg></tuv><tuv xml:lang="zh"><seg>带来的。</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Only French.</seg></tuv><tuv xml:lang="fr"><seg>Français.</seg></tuv></tu>
</body></tmx>"""


def test_a_tmx_file_is_taken_in_and_offered_as_unread(root, capsys):
    (root / "theirs.tmx").write_text(TMX)
    assert "would be written" in run(root, capsys, "import", str(root / "theirs.tmx"))[1]
    assert not (root / "translations/theirs.tmx").exists()
    said = run(root, capsys, "import", str(root / "theirs.tmx"), "--write")[1]
    assert said == "translations/theirs.tmx: written; pairs by language: zh 1\n"
    write(root, {"docs/en/new.md": "# New {#new}\n\nBrought along.\n"})
    run(root, capsys, "export", "new", "--format", "po", "--output", str(root / "out"))
    [entry] = [each for each in polib.pofile(str(root / "out/zh/new.po")) if each.msgid == "Brought along."]
    assert (entry.msgstr, entry.fuzzy) == ("带来的。", True)
    assert "zh new#new missing" in states(root)[0]


@pytest.mark.parametrize("text", ["<html/>", "no XML", "<!DOCTYPE a [<!ENTITY b 'c'>]><html>&b;</html>"])
def test_what_is_no_tmx_is_refused(text):
    with pytest.raises(ConfigError, match=r"a\.tmx: is no"):
        parse_tmx(text.encode(), "a.tmx", "en", "zh")


def test_offers_for_a_section_say_what_is_left_and_mark_the_difference(root):
    write(root, {"docs/en/new.md": "# New {#new}\n\nElse.\n\nSome words that open all.\n"})
    now = tree(root)
    memory = TranslationMemory(now, "zh", SourceHistory(Repository(root)))
    offers = section_offers(memory, "new", now.section("new", "new"))
    assert offers.text == "# New {#new}\n\n别的。\n\nSome words that open all."
    assert (offers.left, offers.places) == (6, ("docs/zh/folder/other.md#other",))
    [near] = offers.near
    assert (near.target, near.place, near.score > 80) == ("开头。", "docs/zh/page.md#page", True)
    assert [(str(kind), words) for kind, words in near.runs] == [
        ("kept", "Some words that open "), ("gone", "it."), ("new", "all."),
    ]


def test_texts_are_the_same_whatever_their_links_lead_to():
    one, other = "See [a](b.md) and `c`.", "See  [a](d.md#e) and `c`."
    assert memory_key(one) == memory_key(other)
    assert replace_link_targets("见[甲](b.md)。", one, other) == "见[甲](d.md#e)。"


def test_pairs_know_titles_that_a_translation_adds_and_code_with_comments():
    source = "# A {#a}\n\n/// note\n\nOne.\n\n///\n\n```python\n# Two\n```\n"
    translation = "# 甲 {#a}\n\n/// note | 备注\n\n一。\n\n///\n\n```python\n# 二\n```\n"
    assert list(pair_section(source, translation)) == [
        ("A", "甲", "heading"), ("One.", "一。", "paragraph"), ("/// note", "/// note | 备注", "verbatim"),
        ("```python\n# Two\n```", "```python\n# 二\n```", "verbatim"),
    ]
    assert list(pair_section("One.\n", "- 一\n")) == []
