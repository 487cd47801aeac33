"""A call-out without a title is called by its kind in the page's own language."""

import pytest
from hexapla.pages.lines import read
from hexapla.site.page.page_additions import add_callout_titles

from tests.site.project import CONFIG, build, lay

CASES = {
    "ja": [
        ("!!! tip\n\n    本文\n", '!!! tip "ヒント"\n\n    本文\n'),
        ("???+ warning\n", '???+ warning "警告"\n'),
        ("- item\n\n    !!! note component\n", '- item\n\n    !!! note component "メモ"\n'),
        ('!!! tip "Tip"\n', '!!! tip "Tip"\n'),
        ('!!! tip ""\n', '!!! tip ""\n'),
        ("!!! unheard\n", "!!! unheard\n"),
        ("```\n!!! tip\n```\n", "```\n!!! tip\n```\n"),
        ("!!! tip and so on.\n", "!!! tip and so on.\n"),
    ],
    "en": [("!!! tip\n", "!!! tip\n")],
    "xx": [("!!! tip\n", "!!! tip\n")],
}


@pytest.mark.parametrize(
    ("language", "text", "titled"), [(code, *case) for code, cases in CASES.items() for case in cases])
def test_a_call_out_without_a_title_gets_one_in_its_language(language, text, titled):
    assert "".join(line.text for line in add_callout_titles([*read(text)], language)) == titled


def test_no_page_shows_an_english_title_that_nobody_wrote(tmp_path):
    lay(tmp_path, {
        "mkdocs.yml": CONFIG.replace("markdown_extensions: [", "markdown_extensions: [admonition, "),
        "docs/en/only.md": "# Only {#only}\n\n!!! warning\n\n    Text.\n",
        "docs/zh/index.md": "# 首页 {#home}\n\n!!! danger\n\n    文本。\n\n!!! tip \"Tip\"\n\n    文本。\n",
    })
    built = build(tmp_path)
    assert built.status == 0, built.said
    title = '<p class="admonition-title">{}</p>'
    assert title.format("危险") in built.page("zh/index.html") and title.format("Tip") in built.page("zh/index.html")
    assert title.format("危險") in built.page("zh-Hant/index.html")
    assert title.format("Warning") in built.page("zh/only/index.html")  # an English page, shown as such
