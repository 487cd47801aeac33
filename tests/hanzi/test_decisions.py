"""Where the conversion of the guide differs from plain OpenCC, a table, the glossary or a context decided it."""

import re
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hexapla import glossary
from hexapla.hanzi.converter import FORMS, QUOTES, Converter, to_traditional
from hexapla.hanzi.tables import CODE, read_boundaries, taiwan_words
from hexapla.pages import spans

ROOT = Path(__file__).parents[2]
CONTEXTS = {"列", "欄", "類別"}


@pytest.fixture(scope="module")
def convert():
    terms = glossary.parse((ROOT / "docs/glossary.yml").read_text(encoding="utf-8"))
    return Converter(glossary.conversions(terms, "zh", "zh-Hant"))


@pytest.fixture(scope="module")
def decided(convert):
    words = {*dict(convert.terms).values(), *taiwan_words().values(), *CONTEXTS}
    phrases = {convert("".join(simple)) for simple, _ in read_boundaries()}
    renderings = {word.replace(CODE, "").strip() for word in words | phrases}
    return re.compile("|".join(map(re.escape, sorted(renderings, key=len, reverse=True))))


def undecided(text, convert, decided):
    pieces = spans(text)
    plain = "".join(to_traditional(each.text.translate(QUOTES)).translate(FORMS) if each.prose else each.text
                    for each in pieces)
    for before, after in zip(plain.split("\n"), convert.page(pieces).split("\n"), strict=True):
        if before == after:
            continue
        known = [match.span() for match in decided.finditer(after)]
        for tag, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag != "equal" and not any(left <= last and first <= right for left, right in known):
                yield before[max(0, start - 3) : end + 3], after[max(0, first - 3) : last + 3]


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted((ROOT / "docs/zh").rglob("*.md")), ids=lambda page: page.stem)
def test_every_difference_from_plain_opencc_was_decided(page, convert, decided):
    assert not [*undecided(page.read_text(encoding="utf-8"), convert, decided)]


def test_no_word_of_the_table_cuts_another_one(convert):
    """Each word as the table has it, also between two words that are none of its own."""
    plain = Converter({})
    for word, converted in taiwan_words().items():
        if CODE not in word and "$" not in word:
            assert converted.replace(CODE, "") in plain(f"，{word}，"), word


def test_the_table_has_each_word_once_and_in_the_right_script():
    rows = [line.split(" ")[0] for line in (ROOT / "tools/hexapla/hanzi/taiwan.txt").read_text(
        encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert len(rows) == len({*rows})
    assert not [word for word in rows if to_traditional(word, "t2s") != word]
