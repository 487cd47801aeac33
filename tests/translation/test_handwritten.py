"""Passages of derived pages that people wrote: what they stand in place of, and what is found when it changes."""

import pytest
from hexapla import cli
from hexapla.hanzi import tables
from hexapla.hanzi.converter import Converter
from hexapla.pages import spans
from hexapla.translation.handwritten import KEPT, derive_page, outdated_passages, parse_passages

FILE = """\
a.md:
- from: 看单元格。
  write: 請看這一格。
- from: |
    ## 表格 {#table}

    看单元格。看 `内存`。
  write: |
    ## 手寫的表格 {#table}

    手寫的一節。
"""


def converted(text):
    return Converter({}).page(spans(text))


def test_a_section_and_a_sentence_win_over_the_conversion():
    passages, mistakes = parse_passages(FILE)
    page = "# 内存 {#a}\n\n默认软件。看单元格。\n\n## 表格 {#table}\n\n看单元格。看 `内存`。\n\n默认软件。\n"
    assert not mistakes
    assert derive_page(page, passages, converted) == (
        "# 記憶體 {#a}\n\n預設軟體。請看這一格。\n\n## 手寫的表格 {#table}\n\n手寫的一節。\n\n預設軟體。\n")


def test_what_the_original_does_not_say_any_more_is_found_with_its_line():
    passages, _ = parse_passages(FILE)
    notes = outdated_passages(passages, {"a.md": "看一格。"}.get, "zh")
    assert [(note.line, note.message.partition(": ")[0]) for note in notes] == [
        (2, "zh/a.md does not say '看单元格。' any more"), (4, "zh/a.md does not say '## 表格 {#table}' any more")]
    (note,) = outdated_passages(passages[:1], {}.get, "zh")
    assert note.message.partition(":")[0] == "zh has no page 'a.md'"


@pytest.mark.parametrize(("text", "line"), [
    ("- a", 1), ("a.md: b", 1), ("a.md:\n- from: a\n", 2), ("a.md:\n- b\n", 2), ("a.md:\n- {from: '', write: b}\n", 2),
])
def test_what_is_no_passage_is_found_with_its_line(text, line):
    passages, mistakes = parse_passages(text)
    assert (passages, [each.line for each in mistakes]) == ((), [line])


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "docs/en").mkdir(parents=True)
    (tmp_path / "docs/zh").mkdir()
    (tmp_path / "translations").mkdir()
    (tmp_path / "mkdocs.yml").write_text(
        "plugins:\n- i18n: {docs_structure: folder, languages: [{locale: en, name: E, default: true}, "
        "{locale: zh, name: 中}, {locale: zh-Hant, name: 繁}]}\n"
        "- hexapla: {derived: {zh-Hant: zh}}\n", encoding="utf-8")
    (tmp_path / "docs/en/a.md").write_text("# A {#a}\n\nSee the cell.\n", encoding="utf-8")
    (tmp_path / "docs/zh/a.md").write_text("# 甲 {#a}\n\n看单元格。\n", encoding="utf-8")
    (tmp_path / "translations/zh-Hant.yml").write_text(FILE[:FILE.index("- from: |")], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_status_says_that_a_passage_moved(project, capsys):
    assert cli.main(["status"]) == 0
    assert "zh-Hant.yml" not in capsys.readouterr().out
    (project / "docs/zh/a.md").write_text("# 甲 {#a}\n\n看格子。\n", encoding="utf-8")
    assert cli.main(["status"]) == 0
    assert "translations/zh-Hant.yml:2: zh/a.md does not say '看单元格。' any more" in capsys.readouterr().out


def test_the_difference_names_what_was_written_by_hand(project, capsys):
    assert cli.main(["diff", "--derived", "zh-Hant", "a.md"]) == 0
    assert capsys.readouterr().out == (
        "docs/zh/a.md:3:1 看单元格。 → 請看這一格。  (by hand, translations/zh-Hant.yml:2)\n")


def test_a_passage_has_a_placeholder_of_its_own():
    assert KEPT not in {value for name, value in vars(tables).items() if name.isupper()}
