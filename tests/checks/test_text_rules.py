"""The rules on structure, code and text: the cases of tests/cases/checks_text, numbers, and what holds for any text."""

from types import SimpleNamespace

import pytest
import yaml
from hexapla import glossary
from hexapla.checks import alignment
from hexapla.checks.context import Document, RuleContext, Settings
from hexapla.checks.rules.code.equivalence import first_difference
from hexapla.checks.rules.numbers import parsing, rule, tables
from hexapla.checks.rules.registry import PAGE_RULES
from hexapla.checks.rules.text import terms
from hexapla.checks.rules.text.markup import unbalanced
from hexapla.pages import Block, Page
from hexapla.pages.dialects import make_dialect
from hexapla.pages.reader import read
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import cases, cases_to_move

ROOMS = ("code", "numbers", "structure", "tables", "text")
RULES = [rule for rule in PAGE_RULES if rule.function.startswith(ROOMS) and rule.id != "character-hidden"]
DIALECTS = {
    "python-markdown": make_dialect("", None),
    "github": make_dialect("github", None),
}
TEXT = st.text(alphabet="ab1二万亿千%.,，。*`_#|-[](){}（）「」 \n中the and", max_size=120)


def tree(dialect):
    """What rules ask of a tree of such pages."""
    return SimpleNamespace(layout=SimpleNamespace(closes_fence=lambda path: DIALECTS[dialect].closes_fence))


def check(source, translation, language, dialect="python-markdown", terms=(), named=()):
    """Everything that the rules of this room's half find in one page, with the optional rules that are named."""
    original, page = (read(text, DIALECTS[dialect]) for text in (source, translation))
    case = RuleContext(
        Document("page", language, f"{language}/page.md", page), Document("page", "en", "en/page.md", original),
        tree(dialect), Settings(terms=terms),
    )
    asked = {rule.check: None for rule in RULES if not rule.optional or rule.id in named}
    return [found for function in asked for found in function(case)]


TO_MOVE = [each.id for each in cases_to_move("checks_text", "found")]


@pytest.mark.parametrize("case", cases("checks_text"))
def test_case(case, request):
    terms = glossary.parse(yaml.safe_dump(case.get("glossary") or [], allow_unicode=True))
    options = case["language"], case.get("dialect", "python-markdown"), terms, case.get("rules", ())
    found = check(case["source"], case["translation"], *options)
    shown = sorted((item.rule, item.line, item.message) for item in found)
    assert len(shown) == len(case["found"]), shown
    expected = sorted(case["found"], key=lambda wanted: (wanted["rule"], wanted["line"]))
    for item, wanted in zip(shown, expected, strict=True):
        assert item[:2] == (wanted["rule"], wanted["line"])
        assert wanted["says"] in item[2]
    if request.node.callspec.id in TO_MOVE:
        moved = check(*(f"\n\n{case[name]}" for name in ("source", "translation")), *options)
        assert [(item.rule, item.subject) for item in moved] == [(item.rule, item.subject) for item in found], (
            "a subject is another when all lines move")


@pytest.mark.parametrize("case", cases("checks_numbers"))
def test_numbers(case):
    for entry in case["numbers"]:
        found = [set(number.values) for number in parsing.written_numbers(entry["text"], case["language"])]
        assert found == [set(map(str, values)) for values in entry["values"]], entry["text"]


@settings(deadline=None)
@given(TEXT, st.sampled_from(["en", "zh", "ja", "ko", "de"]))
def test_numbers_stand_where_they_say(text, language):
    for number in parsing.find_numbers(text, language):
        assert parsing.plain_digits(text)[number.offset :].startswith(number.text)
        assert number.values


@settings(deadline=None)
@given(TEXT, st.sampled_from(["en", "zh", "ja", "ko", "de"]))
def test_a_text_has_its_own_numbers(text, language):
    found = parsing.find_numbers(text, language)
    assert rule.pair_numbers(found, found) == ([], [])


@settings(deadline=None)
@given(st.integers(1, 9999), st.sampled_from("万亿"))
def test_a_scale_multiplies(value, scale):
    (found,) = parsing.written_numbers(f"{value}{scale}", "zh")
    assert found.values == {str(value * tables.CJK_SCALES[scale])}


@settings(deadline=None)
@given(st.integers(0, 9999))
def test_numerals_are_read_back(value):
    digits = "零一二三四五六七八九"
    assert tables.cjk_value("".join(digits[int(digit)] for digit in str(value))) == value


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), max_size=7), st.lists(st.integers(0, 3), max_size=7))
def test_alignment_loses_and_reorders_nothing(first, second):
    pairs = alignment.align(first, second, lambda one, other: 1.0 if one == other else -1.0, 0.2)
    assert [one for one, _ in pairs if one is not None] == first
    assert [other for _, other in pairs if other is not None] == second


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), max_size=7))
def test_a_sequence_is_aligned_with_itself(things):
    assert alignment.align(things, things, lambda one, other: 1.0 if one == other else -1.0, 0.2) == list(
        zip(things, things, strict=True)
    )


BLOCKS = st.lists(st.builds(Block, st.sampled_from(["p", "td"]), st.sampled_from("abcde"), st.just(1), st.just(1)))


@settings(deadline=None)
@given(BLOCKS, BLOCKS)
def test_a_long_section_is_cut_without_a_loss(first, second):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "LONG", 0)
        cut = list(alignment.cut_section(first, second))
    assert [block for piece, _ in cut for block in piece] == first
    assert [block for _, piece in cut for block in piece] == second
    assert len(cut) == 1 or all(one and other for one, other in cut)


def test_a_row_missing_among_many_is_told_at_its_place():
    def table(name, rows):
        return f"# 表\n\n| {name} | b |\n|---|---|\n" + "".join(f"| {name} | {row} |\n" for row in rows)

    found = check(table("a", range(1000)), table("值", [row for row in range(1000) if row != 700]), "zh")
    assert [(item.rule, item.line, item.source_line) for item in found] == [
        ("table-shape", 705, 705), ("number-differs", 705, 705)]


@pytest.mark.slow
@settings(deadline=None)
@given(st.from_regex(parsing.PLAIN, fullmatch=True), st.sampled_from(["en", "zh", "de"]))
def test_a_plain_number_is_read_as_any_other(text, language):
    assert parsing.written_numbers(text, language) == tuple(parsing.in_digits(text, language))


@settings(deadline=None)
@given(TEXT, st.sampled_from(["", "python", "bash", "json", "yaml", "unheard-of"]))
def test_code_does_what_it_does_itself(code, fence):
    assert first_difference(code, code, "zh", fence) is None


BALANCED = st.recursive(
    st.sampled_from(["", "、", "中文。"]),
    lambda inner: st.one_of(
        st.builds("{0[0]}{1}{0[1]}".format, st.sampled_from(["()", "（）", "「」", "(）", "[]"]), inner),
        st.builds(str.__add__, inner, inner),
    ),
)


@settings(deadline=None)
@given(BALANCED, st.randoms())
def test_pairs_in_pairs_are_balanced_until_one_bracket_goes(text, random):
    assert unbalanced(text) == []
    places = [place for place, mark in enumerate(text) if mark in "()（）「」[]"]
    if places:
        place = random.choice(places)
        assert unbalanced(text[:place] + "。" + text[place + 1 :])


@settings(deadline=None, max_examples=50)
@given(TEXT, TEXT, st.sampled_from(["zh", "ja", "de"]))
def test_any_two_pages_are_checked_and_findings_stand_inside(source, translation, language):
    lines = translation.count("\n") + 1
    for found in check(source, translation, language):
        assert 1 <= found.line <= lines and found.column >= 1
        assert found.message and found.hint


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["(", "*", "`", "（", "1", "万", "{", "a ", "**a ", "1,", "翻译", "the "])
def test_a_run_of_a_hundred_thousand_is_checked(mark):
    text = (mark * 100_000)[:100_000]
    page = Page(text, {}, (), (), (), (), True, blocks=(Block("p", text, 1, 1),))
    case = RuleContext(Document("p", "zh", "zh/p.md", page), Document("p", "en", "en/p.md", page),
                       tree("python-markdown"), Settings())
    assert {found.rule for rule in RULES for found in rule.check(case)} <= {rule.id for rule in RULES}


SAID = {
    "GPU": ["GPU", "gpus", "GPUes", "2GPU", "GPU_x", "GPUſ", "在GPU上"],
    "pip": ["PIP", "pıp", "pİp", "pi p"],
    "data parallel": ["data  parallels", "Data-\nParallel", "parallel data", "bigdata parallel", "data.parallel"],
    "ZeRO-3": ["zero 3", "ZERO--3s", "ZeRO3", "ZeRO-33"],
    "C++": ["c++", "C+", "xC++", "C++s"],
    "モデルの重み": ["モデルの重み", "モデル の重み", "モデル的の重み", "モデル重み", "モのデルの重み", "重み"],
    "GPU メモリ": ["gpu メモリ", "GPUメモリ", "GPU のメモリ", "メモリ GPU"],
    "λόγος": ["ΛΌΓΟΣ", "λόγοσ", "λόγο"],
}


@pytest.mark.parametrize("word", SAID)
def test_what_is_said_is_what_the_expression_finds(word):
    """Most words are told apart before an expression is made; that must never be seen."""
    for text in SAID[word]:
        for around in (text, f"x{text}", f"{text}x", f"的 {text}。"):
            assert terms.says(around, word) == bool(terms.word_pattern(word).search(around)), around
