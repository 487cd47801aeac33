"""The rules on sentences: the cases of tests/cases/checks_sentences, those with an `old` text as edits of it."""

import pytest
from hexapla.checks.context import Document, RuleContext, Settings
from hexapla.checks.rules.registry import BY_ID, RULES
from hexapla.checks.rules.sentences.edited import edit_violations
from hexapla.pages.dialects import make_dialect
from hexapla.pages.reader import read
from hexapla.text_language import language_of_texts
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases

DIALECT = make_dialect("", None)


def check(source, translation, language, old=None):
    original, page = (read(text, DIALECT) for text in (source, translation))
    context = RuleContext(
        Document("page", language, f"{language}/page.md", page), Document("page", "en", "en/page.md", original), None,
        Settings(),
    )
    if old is not None:
        return list(edit_violations(context, read(old, DIALECT)))
    checks = {rule.check: None for rule in RULES if rule.function.startswith("sentences.")}
    return [found for check in checks for found in check(context)]


@pytest.mark.parametrize("case", cases("checks_sentences"))
def test_case(case):
    found = check(case["source"], case["translation"], case["language"], case.get("old"))
    shown = sorted((item.rule, item.line, item.message) for item in found)
    assert len(shown) == len(case["found"]), shown
    for item, wanted in zip(shown, case["found"], strict=True):
        assert item[:2] == (wanted["rule"], wanted["line"])
        assert wanted["says"] in item[2]


@pytest.mark.parametrize("case", [pytest.param(each.values[0], id=each.id) for each in cases("checks_sentences")])
def test_a_text_that_was_not_edited_raises_no_question(case):
    assert not check(case["source"], case["translation"], case["language"], case["translation"])


TEXTS = st.lists(st.text("abcdeé あア中文한국яж.。 ", max_size=40), max_size=4)


@given(TEXTS, st.sampled_from(["de", "ja", "ko", "zh"]))
def test_no_text_is_in_another_language_than_the_one_it_is_told_to_be(texts, language):
    found = language_of_texts(texts, language, "en")
    assert not found or not language_of_texts(texts, found.rstrip("?"), "en")


def test_errors_are_refused():
    assert all((rule.severity == "error") is (rule.asked == "refused") for rule in RULES)
    assert BY_ID["term-forbidden"].asked == BY_ID["script-mixed"].asked == "asked"
