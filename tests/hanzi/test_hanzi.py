"""Simplified to Traditional: the cases of tests/cases/hanzi, and what holds for any text."""

import pytest
from hexapla.hanzi.converter import Converter
from hexapla.pages import spans
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import cases

HAN = st.text(alphabet="参数激活值的内存、`<>[](){}#*\n 模型abc", max_size=80)


@pytest.mark.parametrize("case", cases("hanzi"))
def test_case(case):
    assert Converter(case["terms"]).page(spans(case["simplified"])) == case["traditional"]


@settings(deadline=None)  # OpenCC loads its dictionaries on first use
@given(HAN)
def test_what_is_not_prose_never_changes(text):
    converted = Converter({"参数": "參數"})
    pieces = spans(text)
    assert "".join(piece.text for piece in pieces) == text
    assert converted.page(pieces) == "".join(
        converted(piece.text) if piece.prose else piece.text for piece in pieces
    )


@settings(deadline=None)  # OpenCC loads its dictionaries on first use
@given(HAN)
def test_converting_twice_changes_nothing_more(text):
    convert = Converter({"参数": "參數", "激活值": "啟動值"})
    once = convert(text)
    assert convert(once) == once


def test_converted_prose_holds_no_simplified_character():
    assert "数" not in Converter({})("参数与数据")


@pytest.mark.parametrize(("code", "said"), [
    ("zh-Hant", "軟體裡的「程式」檢查找到全部分數組成的網路說明"),
    ("zh-HK", "軟件裏的「程序」檢查找到全部分數組成的網絡説明"),
])
def test_each_region_has_its_words_and_no_word_is_cut(code, said):
    assert Converter({}, code)("软件里的“程序”检查找到全部分数组成的网络说明") == said


def test_the_terms_of_a_region_are_its_own():
    assert Converter({"软件": "軟件包"}, "zh-HK")("软件里") == "軟件包裏"
    assert Converter({}, "zh-HK").version != Converter({}).version


REVERSED = "「參數」在資料庫裡，使用軟體快取；看伺服器的網路頻寬，台灣的程式設計師。"


@pytest.mark.parametrize(("origin", "text", "said"), [
    ("zh-Hant", REVERSED, "“参数”在数据库里，使用软件缓存；看服务器的网络带宽，台湾的程序员。"),
    ("zh-HK", "軟件裏的程序，檢查找到的網絡説明", "软件里的程序，检查找到的网络说明"),
])
def test_simplified_is_derived_from_traditional(origin, text, said):
    assert Converter({}, "zh", origin)(text) == said


def test_terms_of_a_project_that_writes_in_traditional():
    convert = Converter({"儲存格": "单元格", "格": "格子", "欄": "列"}, "zh-CN", "zh-TW")
    assert convert("看儲存格，這一格，這一欄") == "看单元格，这一格子，这一列"
    assert convert.page(spans("# 記憶體 {#a}\n\n看 `記憶體` 的說明。\n")) == "# 内存 {#a}\n\n看 `記憶體` 的说明。\n"


def test_a_class_and_a_function_are_told_from_the_code_beside_them():
    convert = Converter({})
    assert convert.page(spans("`A` 类的 `f` 函数，这类 `B`，损失函数，更早的类 `C`。")) == (
        "`A` 類別的 `f` 函式，這類 `B`，損失函數，更早的類別 `C`。")
