"""What a conversion did, word by word, by the glossary or by OpenCC."""

from hexapla import cli
from hexapla.hanzi.converter import Converter
from hexapla.hanzi.explanation import ConvertedWord, converted_words


def test_each_word_has_its_reason():
    found = list(converted_words("模型的参数，默认软件，没有采用。", Converter({"参数": "參數", "模型": "模型"})))
    assert [(each.reason, each.word, each.converted) for each in found] == [
        ("Taiwan's words", "默认", "預設"), ("OpenCC", "软件，", "軟體，")]  # 参数 has the same characters


def test_a_glossary_word_is_shown_whole():
    assert list(converted_words("看服务器", Converter({"服务器": "伺服器"}))) == [
        ConvertedWord(2, "服务器", "伺服器", "glossary")]


def test_the_command_names_place_and_row(tmp_path, monkeypatch, capsys):
    (tmp_path / "docs/zh").mkdir(parents=True)
    (tmp_path / "mkdocs.yml").write_text(
        "plugins:\n- i18n: {docs_structure: folder, languages: [{locale: zh, name: 中, default: true}, "
        "{locale: zh-Hant, name: 繁}]}\n- hexapla: {derived: {zh-Hant: zh}}\n", encoding="utf-8")
    (tmp_path / "docs/glossary.yml").write_text(
        "- {term: cell, treatment: convert, zh: 单元格, zh-Hant: 儲存格}\n", encoding="utf-8")
    (tmp_path / "docs/zh/a.md").write_text("# `单元格` {#a}\n\n看单元格。\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["diff", "--derived", "zh-Hant", "a.md"]) == 0
    assert capsys.readouterr().out == "docs/zh/a.md:3:2 单元格 → 儲存格  (glossary, line 1)\n"
    assert cli.main(["diff", "--derived", "ja", "a.md"]) == 2
    assert cli.main(["diff", "--derived", "zh-Hant", "../glossary.yml"]) == 2


def test_a_version_tells_conversions_apart():
    assert Converter({"库": "函式庫"}).version != Converter({"库": "庫"}).version
