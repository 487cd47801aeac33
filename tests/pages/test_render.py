"""What holds for any text that is rendered with marks and read back."""

import json
from functools import cache, partial

import markdown
import pytest
from hexapla.pages import commonmark, parse, python_markdown, spans
from hexapla.pages.lines import read as read_lines
from hexapla.pages.reader import LIMIT, PlainDialect, read
from hexapla.pages.serialization import plain, revived
from hexapla.pages.source_markers import MARK, mark
from hypothesis import given, settings
from hypothesis import strategies as st

EVERYTHING = python_markdown.setup({**python_markdown.USUAL, **{name: {} for name in python_markdown.NEEDED}})
WHOLE = python_markdown.renderer(EVERYTHING)
USUAL = python_markdown.renderer(python_markdown.setup(None))
# The same pages from a tree and from HTML.
TOLD = PlainDialect("Python-Markdown", WHOLE.told)
PARSED = PlainDialect("Python-Markdown", partial(python_markdown.convert, WHOLE))
DIALECTS = {
    "python-markdown": python_markdown.python_markdown(python_markdown.setup(None)),
    "github": commonmark.github(),
    "doc-builder": commonmark.doc_builder(),
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
@given(text=TEXTS)
def test_a_page_out_of_a_cache_is_the_page(dialect, text):
    page = read(text, dialect)
    kept = json.dumps(plain(page))
    assert kept == "null" or revived(text, json.loads(kept)) == page


@pytest.mark.parametrize(("front", "kept"), [("title: x", True), ("date: 2024-01-02", False), ("1: x", False)])
def test_front_matter_that_json_cannot_say_keeps_a_page_out_of_the_cache(front, kept):
    page = parse(f"---\n{front}\n---\n")
    assert page.meta
    assert bool(plain(page)) == kept


@pytest.mark.parametrize("html", [partial(python_markdown.convert, USUAL), DIALECTS["github"].render,
                                  DIALECTS["doc-builder"].render], ids=list(DIALECTS))
@given(text=st.lists(st.sampled_from(PIECES), max_size=25).map("\n".join))
def test_marks_change_nothing_that_is_rendered(html, text):
    marked = mark(text, list(read_lines(text)))
    assert MARK.sub("", html(marked.text)) == html(MARK.sub("", marked.text))


def as_the_library_does(text):
    """The HTML of an untouched Python-Markdown with the same extensions."""
    plain = markdown.Markdown(extensions=list(EVERYTHING), extension_configs=EVERYTHING)
    plain.treeprocessors.deregister("prettify")
    return plain.convert(text)


@settings(max_examples=200, deadline=None)
@given(text=TEXTS)
def test_the_quick_renderer_makes_what_the_library_makes(text):
    body = MARK.sub("", text)
    assert python_markdown.convert(WHOLE, body) == as_the_library_does(body)


# What the quick renderer passes by where it can, in a place where it cannot.
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


@pytest.mark.parametrize("text", SITUATIONS.values(), ids=list(SITUATIONS))
def test_what_is_passed_by_is_not_where_it_matters(text):
    assert python_markdown.convert(WHOLE, text) == as_the_library_does(text)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_what_is_told_of_a_tree_is_what_a_parser_tells(text):
    assert read(text, TOLD) == read(text, PARSED)


@pytest.mark.parametrize("text", SITUATIONS.values(), ids=list(SITUATIONS))
def test_a_tree_is_told_only_where_a_parser_would_agree(text):
    assert read(text, TOLD) == read(text, PARSED)


PLAIN = [
    "# One *two* {#three}\n\n- four `a < b && c` [five](six.md \"seven\")\n\n```python\nx\n```\n",
    "| a | b |\n|:--|--:|\n| `c` | ![d](e.png) |\n\n!!! note\n    One.\n\n    <!-- two -->\n\n1. a  \n   b & c\n",
    "- ```python\n  x\n  ```\n- <!-- a -->\n\n> one\n\n    <code> &lt;\n\n---\n",
]
NOT_PLAIN = {
    "HTML": "a <b>c</b>", "an HTML block": "<div>\n\na\n\n</div>\n", "an entity": "a &nbsp; b",
    "an entity in a target": "[a](b?c&copy;d)", "a control character": "a \x07 b",
    "a link in a link": "[a <https://b.org> c](d)",
    "an attribute of the author's": "a *b*{onclick=c}", "a fence behind text": "a\n```\nb\n```\nc",
    "an address for mail": "<a@b.org>", "a comment that ends early": "<!-- a -- > b -->\n\nc",
}


@pytest.mark.parametrize("text", PLAIN)
def test_pages_without_html_are_read_without_parsing_any(text):
    assert not isinstance(WHOLE.told(text), str)
    assert read(text, TOLD) == read(text, PARSED)


@pytest.mark.parametrize("text", NOT_PLAIN.values(), ids=list(NOT_PLAIN))
def test_what_only_a_parser_can_tell_is_left_to_it(text):
    assert WHOLE.told(text) == python_markdown.convert(WHOLE, text)
    assert read(text, TOLD) == read(text, PARSED)


@pytest.mark.parametrize("name", python_markdown.NEEDED)
@settings(max_examples=50, deadline=None)
@given(text=TEXTS)
def test_an_extension_is_left_out_of_pages_that_it_would_not_change(name, text):
    without = {other: options for other, options in EVERYTHING.items() if other != name}
    body = text.replace(python_markdown.NEEDED[name], " ")
    if name not in python_markdown.needed(EVERYTHING, body):
        assert python_markdown.convert(lacking(name, tuple(without)), body) == python_markdown.convert(WHOLE, body)


def test_a_backslash_keeps_the_extensions_that_give_it_a_meaning():
    made = python_markdown.setup({"pymdownx.caret": {}})
    assert python_markdown.python_markdown(made).render("a\\ b") == python_markdown.renderer(made).told("a\\ b")


@cache
def lacking(name, others):
    """A renderer without one extension."""
    return python_markdown.renderer({other: EVERYTHING[other] for other in others})


@pytest.mark.parametrize("run", [
    "[", "*", "`", "(", "](", "[a](", "![", "<", "<a", "_", "**a", "{#", ">", "- ", "1. ", "|", "&", "\\", "<!--", "~",
    "[^a]:", "<!-- hexapla: ignore a", "--8<--", "{! a ", "{* a ", "[a]: b\n", "href='", "http://", "#", "\n",
])
def test_a_long_run_of_anything_is_read(run):
    """At these lengths an expression with the square of its input's length would take minutes."""
    text = run * (60_000 // len(run))
    assert "".join(span.text for span in spans(text)) == text
    mark(text, list(read_lines(text)))
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
