"""The glossary's table, as the readers of each language get it."""

import pytest
from hexapla.config.project import Language
from hexapla.glossary import parse
from hexapla.site.page.glossary_table import PLACEHOLDER, insert_glossary

LANGUAGES = (Language("en", "English"), Language("zh", "简体中文"), Language("ja", "日本語"))
TERMS = parse("""\
- term: a|b
  zh: 甲
  also: {zh: [乙]}
  ja: ア*
  forbidden: {zh: [丙], ja: [ウ]}
  sources: {zh: https://docs.example/zh/page, ja: https://www.docs.example/ja}
- {term: CPU, treatment: keep, explained: learn/parts.md#cpu}
""")


def rows(reader, page="glossary.md"):
    text = f"Before.\n\n{PLACEHOLDER}\n\nAfter."
    lines = insert_glossary(text, lambda: TERMS, LANGUAGES, reader, page).split("\n")
    assert lines[:2] + lines[-2:] == ["Before.", "", "", "After."]
    assert lines[2].startswith('<div class="hx-terms" data-hx-label="') and lines[3:5] == ["</div>", ""]
    return [line.strip("| ").split(" | ") for line in lines[5:-2]]


@pytest.mark.parametrize(
    ("reader", "head", "wrong"),
    [("en", "Avoid", "丙 / ウ"), ("zh", "避免使用", "丙"), ("ja", "使わない訳", "ウ")],
)
def test_a_row_has_the_term_its_renderings_and_what_not_to_write(reader, head, wrong):
    names, _, first, second = rows(reader)
    own = ["日本語", "简体中文"] if reader == "ja" else ["简体中文", "日本語"]  # the reader's first
    assert names[:4] == ["English", *own, head]
    pages = "[zh: docs.example](https://docs.example/zh/page)<br>[ja: docs.example](https://www.docs.example/ja)"
    renderings = {"简体中文": "甲 / 乙", "日本語": "ア&#42;"}
    assert first == ["a&#124;b", *(renderings[each] for each in own), wrong, pages]
    same = {"en": "The same in all languages", "zh": "各语言写法相同", "ja": "どの言語でも同じ"}[reader]
    assert second[0] == f'[CPU](learn/parts.md#cpu) {{ data-hx-same="{same}" }}'
    assert second[1:3] == ["CPU { .hx-same }"] * 2


@pytest.mark.parametrize(("page", "link"), [
    ("learn/glossary.md", "[CPU](parts.md#cpu)"), ("reference/words/glossary.md", "[CPU](../../learn/parts.md#cpu)"),
])
def test_a_term_leads_from_where_the_table_stands_to_the_section_that_explains_it(page, link):
    assert rows("zh", page)[3][0].startswith(f"{link} ")


def test_a_page_without_the_place_is_left_alone():
    assert insert_glossary("# Page\n", lambda: TERMS, LANGUAGES, "zh", "page.md") == "# Page\n"
