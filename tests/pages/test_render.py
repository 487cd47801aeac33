"""What holds for any text that is rendered with marks and read back."""

import json
from functools import cache

import markdown
import pytest
from hexapla.pages import inline_markup, parse, python_markdown, spans
from hexapla.pages.dialects import make_dialect
from hexapla.pages.lines import read as read_lines
from hexapla.pages.reader import LIMIT, read
from hexapla.pages.serialization import page_data, page_from_data
from hexapla.pages.source_markers import MARK, mark_source
from hypothesis import given, settings
from hypothesis import strategies as st

EVERYTHING = python_markdown.choose_extensions({
    **python_markdown.USUAL, "sane_lists": {}, "smarty": {}, "wikilinks": {}, "pymdownx.escapeall": {},
    "pymdownx.progressbar": {}, "pymdownx.quotes": {}, "pymdownx.saneheaders": {}, "pymdownx.blocks.admonition": {},
    "pymdownx.blocks.caption": {}, "pymdownx.blocks.definition": {}, "pymdownx.blocks.details": {},
    "pymdownx.blocks.html": {}, "pymdownx.blocks.tab": {},
})
OTHER_MARKUP = python_markdown.choose_extensions(
    {**python_markdown.USUAL, **{name: {} for name in sorted(inline_markup.OTHER_MARKUP)}}
)
DIALECTS = {
    "python-markdown": make_dialect("", None),
    "github": make_dialect("github", None),
    "doc-builder": make_dialect("doc-builder", None),
}
dialects = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=list(DIALECTS))

# Markdown as people write it, so that most drawn texts hold links, lists, tables, fences and headings.
PIECES = [
    "# Title {#title}", "## 训练 GPU", "### `code` and **bold**", "Setext", "------", "Some text.",
    "在单个 GPU 上训练。", "[link](page.md#a)", "[链接](<other page.md> \"title\")", "[ref][r]",
    "[r]: https://example.org", "![image](x.png)", "<https://example.org/a>",
    "<a id=\"here\">x</a>", "- item", "1. first", "    - nested", "- [ ] task", "* **「强调」**",
    "| a | b |", "|---|---|", "| 1 | [c](d.md) |", "```python", "```", "~~~", "!!! note",
    "    indented", "> quote", "", "", "`a` and ``b ` c``", "***both*** _em_ ~~gone~~", "[^1]",
    "[^1]: A note.", "term", ":   definition", "--8<-- \"a.py\"", "=== \"Tab\"", "<!-- comment -->",
    "{{% alert %}}", ":::tip", "\\[escaped\\]", "a*b*c", "2 * 3 * 4", "snake_case_word", "[TOC]", "==marked== = x",
    "H~2~O, x^2^, ~~gone~~", "++ctrl+a++", ":smile: a: b", "/// note | Title", "///", "??? tip \"More\"",
    "[[Wiki page]]", "*[HTML]: Hyper Text", "HTML and a\\ b \\/ c", "Term\n: definition", "para {.cls #pid}",
    "# 训练 GPU",
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map("\n".join),
    st.text(alphabet="[]()<>*_`#!|-=~:{}\\/\"'&;1a 中\n\t\r\U000f0000\ufffd", max_size=120),
    st.text(max_size=200),
)


@dialects
@settings(deadline=None)
@given(text=TEXTS)
def test_any_text_makes_a_page_whose_positions_lie_inside_it(dialect, text):
    page = read(text, dialect)
    lines = [line.text for line in read_lines(text)] or [""]
    kinds = (page.headings, page.links, page.anchors, page.blocks, page.codes, page.lists, page.tables,
             page.admonitions, page.markup, page.problems)
    for kind in kinds:
        for record in kind:
            assert 1 <= record.line <= len(lines), record
            assert 1 <= record.column <= len(lines[record.line - 1]) + 1, record
    for link in page.links:
        if link.offset >= 0:
            assert text[link.offset : link.offset + len(link.written)] == link.written
    assert "".join(span.text for span in spans(text)) == text


@dialects
@settings(deadline=None)
@given(text=TEXTS)
def test_a_page_out_of_a_cache_is_the_page(dialect, text):
    page = read(text, dialect)
    kept = json.dumps(page_data(page))
    assert kept == "null" or page_from_data(text, json.loads(kept)) == page


@pytest.mark.parametrize(("front", "kept"), [("title: x", True), ("date: 2024-01-02", False), ("1: x", False)])
def test_front_matter_that_json_cannot_say_keeps_a_page_out_of_the_cache(front, kept):
    page = parse(f"---\n{front}\n---\n")
    assert page.meta
    assert bool(page_data(page)) == kept


@dialects
@settings(deadline=None)
@given(text=st.lists(st.sampled_from(PIECES), max_size=25).map("\n".join))
def test_marks_change_nothing_that_is_rendered(dialect, text):
    marked = mark_source(text, list(read_lines(text)))
    assert MARK.sub("", dialect.render(marked.text)) == dialect.render(MARK.sub("", marked.text))


@cache
def library(name):
    """Python-Markdown as it is, and as pages are rendered."""
    made = {"everything": EVERYTHING, "other markup": OTHER_MARKUP}[name]
    plain = markdown.Markdown(extensions=list(made), extension_configs=made)
    plain.treeprocessors.deregister("prettify")
    return lambda text: plain.reset().convert(text), python_markdown.make_renderer(made)


@pytest.mark.parametrize("name", ["everything", "other markup"])
@settings(max_examples=200, deadline=None)
@given(text=TEXTS)
def test_plain_text_is_passed_over_without_a_difference(name, text):
    expected, rendered = library(name)
    assert rendered(text) == expected(text)


# Where text without markup and text with it meet.
SITUATIONS = {
    "a call-out's second paragraph": "!!! note\n    One.\n\n    Two.\n\nThree!",
    "a folded part's second paragraph": "??? tip \"More\"\n    One.\n\n    Two.\n\nThree?",
    "a tab's second paragraph": "=== \"Tab\"\n    One.\n\n    Two.\n\n=== \"Other\"\n    Three.",
    "a list item's second paragraph": "- one\n\n    two\n\n    - three\n\nfour",
    "a numbered list": "1. one\n2. two\n\nthree",
    "indented code": "one\n\n    code *a*\n\n    more\n\ntwo",
    "Markdown in HTML": "<div markdown>\n\none *two*\n\n</div>\n\n<p markdown=\"1\">a *b*</p>",
    "raw HTML": "<div class=\"a\">x &amp; y</div>\n\na <b title='c'>d</b> & e < f > g",
    "quotes in attributes": "![one \"two\" <three> & four](a.png 'five \"six\"')",
    "markup in markup": "**a [b *c* `d`](e.md) f** *g* h `i` j [k][l] m\n\n[l]: n.md \"o\"",
    "text behind markup": "a `b` c *d* e ~~f~~ g ==h== i ++ctrl++ j",
    "code three deep": "**a *b ~~c `d` e~~ f* g** ***h ==i `j` k== l***",
    "text behind HTML": "<p markdown=\"1\">a <b>x</b> c *d* e <i>f</i> `g` [h](i)</p>",
    "text behind a list's folded part": "- ??? note\n    *a* b `c` *d*",
    "escapes in HTML": "<div markdown=\"1\">\na \\* b\n</div>",
    "a table of contents in HTML": "<div markdown=\"1\">\n[TOC]\n\n# A\n\n</div>\n\n# B",
    "a link in a link": "[a [b](c) d](e) [![f](g)](h)",
    "escapes": "\\*a\\* \\[b\\] &copy; &#174; &x; <c@d.e>",
    "attributes": "# One *two* {#three .four}\n\nfive *six*{.seven}\n\n| a {.b} | c |\n|---|---|\n| d {.e} | *f*{.g} |",
    "line breaks": "one  \ntwo<br>three\n***\nfour\n====",
    "an escape before a bracket": "\\\\< a > b & c\n\n& d `e`\n\n> (f & `g`",
    "an id behind a fence": "```\na\n```\n{#b}\n\nc",
    "a note": "one[^1] two\n\n[^1]: Three *four*.\n\n    Five.",
}


@pytest.mark.parametrize("text", [
    "`a`", "++a++", "\\*", "[a](b)", "<https://a.org>", "&copy;", "a\nb", "*a*", "_a_", "^a^", "==a==", "~a~", "[[a]]",
])
def test_each_kind_of_markup_alone_is_rendered(text):
    expected, rendered = library("everything")
    assert rendered(text) == expected(text)


@pytest.mark.parametrize("text", SITUATIONS.values(), ids=list(SITUATIONS))
def test_each_situation_is_rendered_as_the_library_does(text):
    expected, rendered = library("everything")
    assert rendered(text) == expected(text)


@pytest.mark.parametrize("run", [
    "[", "*", "`", "(", "](", "[a](", "![", "<", "<a", "_", "**a", "{#", ">", "- ", "1. ", "|", "&", "\\", "<!--", "~",
    "[^a]:", "<!-- hexapla: ignore a", "--8<--", "{! a ", "{* a ", "[a]: b\n", "href='", "http://", "#", "\n",
])
def test_a_long_run_of_anything_is_read(run):
    """At these lengths an expression with the square of its input's length would take minutes."""
    text = run * (60_000 // len(run))
    assert "".join(span.text for span in spans(text)) == text
    mark_source(text, list(read_lines(text)))
    parse(text)


@pytest.mark.parametrize("run", ["[", "![", "[a](", "1. ", "> "])
def test_nesting_without_end_is_a_problem_or_text_but_no_hang(run):
    page = read(f"# Title {{#title}}\n\n{run * 3000}\n", DIALECTS["python-markdown"])
    assert page.headings[0].id == "title"
    assert page.rendered or page.problems[0].rule == "page-unreadable"


def test_a_page_of_ten_megabytes_is_a_problem():
    page = read("# Title {#title}\n\n" + "word " * LIMIT, DIALECTS["python-markdown"])
    assert [problem.rule for problem in page.problems] == ["page-unreadable"]
    assert page.headings[0].id == "title"
