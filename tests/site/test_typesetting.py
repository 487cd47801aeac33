"""Formulas are MathML for a reader and text for everyone else; a page has a short title in the navigation."""

import timeit
from html import unescape

import pytest
from hexapla.site.page.formulas import typeset_formulas
from hexapla.site.page.line_breaks import keep_measures_whole
from hexapla.site.page.navigation_titles import with_nav_titles, with_part_title
from hexapla.site.search.search_sections import read_sections
from selectolax.lexbor import LexborHTMLParser

from tests.cases import cases


def formula(text, tag="strong"):
    return f'<p><{tag} class="formula">{text}</{tag}></p>'


@pytest.mark.parametrize("case", cases("site/formulas"))
def test_a_formula_is_typeset_and_found_by_its_text(case):
    page = typeset_formulas(formula(case["text"]))
    math = LexborHTMLParser(page).css_first("math")
    assert (math.inner_html if math else "") == case["typeset"].replace("\n", "")
    assert read_sections(page)[0].text == unescape(case["text"])


@pytest.mark.parametrize(("tag", "display"), [("strong", "block"), ("em", "inline")])
def test_a_formula_stands_by_itself_or_in_a_line(tag, display):
    assert f'<math display="{display}" alttext="T c">' in typeset_formulas(formula("T c", tag))


@pytest.mark.parametrize(("html", "shown"), [
    ("<p>16.3 GB, 4 ms, 3.35 TB/s, 8 samples", "<p>16.3\xa0GB, 4\xa0ms, 3.35\xa0TB/s, 8 samples"),
    ("<td>torchtitan, 2024-12-26</td>", "<td>torchtitan, <time>2024-12-26</time></td>"),
    ('<a href="a 4 GB 2024-12-26"><code>4 GB</code> <pre>2024-12-26</pre>', None),
    ("<p>16 GB显存, 4 字节的, 3 ms以内, 2 位元組", "<p>16\xa0GB显存, 4\xa0字节的, 3\xa0ms以内, 2\xa0位元組"),
    ('<img alt="a > 2024-12-26"><svg><text>4 GB</text></svg><option>2024-12-26</option>', None),
    ("<h1>GPU 8枚で</h1><p>GPU 2台、Python 3枚", "<h1>GPU\xa08枚で</h1><p>GPU\xa02台、Python 3枚"),
    ("<code>4 GB", None),
    ("<p>4 Bytes of 4 GBs, v1-2024-12-26", None),
])
def test_a_number_stays_with_its_unit_and_a_date_on_its_line(html, shown):
    assert keep_measures_whole(html) == (shown or html)


def test_measures_of_many_elements_without_end_are_looked_for_once():
    few, many = (min(timeit.repeat(lambda n=n: keep_measures_whole("<code>4 GB" * n), number=1, repeat=5))
                 for n in (20_000, 80_000))
    assert many < 12 * few


def test_a_formula_of_many_groups_stays_text():
    page = formula("(" * 240 + "a" + ")" * 240)
    assert typeset_formulas(page) == page


def test_math_of_an_author_is_found_by_its_parts():
    page = "<h1>T</h1><p>Euler <math><mi>e</mi><mo>=</mo><mn>2.718</mn></math> is"
    assert "2.718" in read_sections(page)[0].text


class Page:
    def __init__(self, title, **meta):
        self.title, self.meta = title, meta


class Section:
    def __init__(self, *children):
        self.children = children


def test_the_navigation_has_the_short_title_and_a_section_its_own():
    navigation = """<label class="md-nav__title" for="__nav"><span class="md-ellipsis">{0}</span></label>
<a href="./" class="md-nav__link"><span class="md-ellipsis">\n {1}\n </span></a>
<label class="md-nav__link" for="__toc"><span class="md-ellipsis">{1}</span></label><a>{0}</a>"""
    pages = [Page("Precision &amp; more", nav_title="Precision <short>"), Page("Other")]
    made = with_nav_titles(navigation.format("Precision &amp; more", "Precision &amp; more"), pages)
    assert made == navigation.format("Precision &amp; more", "Precision &lt;short&gt;")


def test_no_line_of_the_navigation_ends_within_a_number_and_its_word():
    link = '<a class="md-nav__link"><span class="md-ellipsis">{}</span></a>'
    assert with_nav_titles(link.format("8-bit, 1-2 and a-b"), []) == link.format("8-\u2060bit, 1-2 and a-b")


def test_a_title_of_two_pages_is_not_shortened_for_one():
    navigation = '<a class="md-nav__link"><span class="md-ellipsis">Overview</span></a>'
    assert with_nav_titles(navigation, [Page("Overview", nav_title="Short"), Page("Overview")]) == navigation


HEADER = """<a title="The site"><div class="md-header__topic">\n <span class="md-ellipsis">\n  {}\n </span>
<div class="md-header__topic" data-md-component="header-topic"><span class="md-ellipsis">The site</span></div>"""


def test_the_header_has_the_title_of_the_part_that_the_page_is_in():
    page, own = Page("A"), Page("Overview", part_title="Tools & <more>")
    page.ancestors = [Section(page), Section(own, page)]
    made = with_part_title(HEADER.format("The site"), page)
    assert "".join(made.split()) == "".join(HEADER.format("Tools &amp; &lt;more&gt;").split())
    assert with_part_title(HEADER, None) == HEADER  # of no page
    for ancestors in ([], [Section(Page("First"), page)], [Section(Section(page))]):
        page.ancestors = ancestors
        assert with_part_title(HEADER, page) == HEADER
