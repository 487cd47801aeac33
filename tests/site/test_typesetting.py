"""Formulas are MathML for a reader and text for everyone else; a page has a short title in the navigation."""

from html import unescape

import pytest
from hexapla.site.page.formulas import typeset_formulas
from hexapla.site.page.line_breaks import keep_measures_whole
from hexapla.site.page.navigation_titles import with_nav_titles
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
    ("<p>4 Bytes of 4 GBs, v1-2024-12-26", None),
])
def test_a_number_stays_with_its_unit_and_a_date_on_its_line(html, shown):
    assert keep_measures_whole(html) == (shown or html)


class Page:
    def __init__(self, title, **meta):
        self.title, self.meta = title, meta


def test_the_navigation_has_the_short_title_and_a_section_its_own():
    navigation = """<label class="md-nav__title" for="__nav"><span class="md-ellipsis">{0}</span></label>
<a href="./" class="md-nav__link"><span class="md-ellipsis">\n {1}\n </span></a>
<label class="md-nav__link" for="__toc"><span class="md-ellipsis">{1}</span></label><a>{0}</a>"""
    pages = [Page("Precision &amp; more", nav_title="Precision <short>"), Page("Other")]
    made = with_nav_titles(navigation.format("Precision &amp; more", "Precision &amp; more"), pages)
    assert made == navigation.format("Precision &amp; more", "Precision &lt;short&gt;")
