"""Laws of putting a section into a page."""

from hexapla.pages.lines import closes_same
from hexapla.section_writer import put_section
from hexapla.translation.sections.sections import cut_sections
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.text(st.sampled_from("ab 中文。\n"), max_size=30).map(str.strip)
PAGES = st.lists(WORDS, min_size=1, max_size=5).map(
    lambda bodies: "".join(f"## H{number} {{#s{number}}}\n\n{body}\n\n" for number, body in enumerate(bodies))
)


def put(page, section, typed, order=()):
    """A page with a section put in; `order` are the ids of the source, those of the page by default."""
    here = {span.id: span for span in cut_sections(page)}
    sections = tuple(
        SectionStatus(name, name, TranslationState.CURRENT, here=name, line=here[name].line if name in here else 0)
        for name in order or here
    )
    old = page[here[section].start : here[section].end] if section in here else ""
    return put_section(PageStatus("p", "zh", "p.md", "p.md", sections), page, section, typed, old, closes_same)


@given(PAGES, WORDS, st.data())
def test_the_other_sections_stay(page, body, data):
    spans = cut_sections(page)
    chosen = data.draw(st.sampled_from(spans))
    made = put(page, chosen.id, f"## New {{#{chosen.id}}}\n\n{body}")
    kept = {span.id: made[span.start : span.end] for span in cut_sections(made)}
    assert kept.keys() == {span.id for span in spans}
    assert all(kept[span.id] == page[span.start : span.end] for span in spans if span.id != chosen.id)


@given(PAGES, st.data())
def test_the_text_that_is_there_changes_nothing(page, data):
    chosen = data.draw(st.sampled_from(cut_sections(page)))
    assert put(page, chosen.id, page[chosen.start : chosen.end]) == page


@given(PAGES, st.data())
def test_a_section_taken_out_and_put_back_is_where_it_was(page, data):
    spans = cut_sections(page)
    chosen = data.draw(st.sampled_from(spans))
    rest = page[: chosen.start] + page[chosen.end :]
    made = put(rest, chosen.id, page[chosen.start : chosen.end], [span.id for span in spans])
    assert [span.id for span in cut_sections(made)] == [span.id for span in spans]


def test_line_ends_stay():
    page = "# A {#a}\r\n\r\nx\r\n\r\n# B {#b}\r\n"
    assert put(page, "a", "# A {#a}\n\ny\n") == page.replace("x", "y")
    assert put(page, "c", "# C {#c}\n", "acb") == page.replace("# B", "# C {#c}\r\n\r\n# B")


def test_a_first_section_stands_below_what_is_above_all_headings():
    assert put("Lead.\n\n# B {#b}\n", "a", "# A {#a}", "ab") == "Lead.\n\n# A {#a}\n\n# B {#b}\n"
