"""Laws of putting a section into a page."""

from hexapla.editor import text_edit
from hexapla.translation.sections.sections import cut
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.text(st.sampled_from("ab 中文。\n"), max_size=30).map(str.strip)
PAGES = st.lists(WORDS, min_size=1, max_size=5).map(
    lambda bodies: "".join(f"## H{number} {{#s{number}}}\n\n{body}\n\n" for number, body in enumerate(bodies))
)


@given(PAGES, WORDS, st.data())
def test_the_other_sections_stay(page, body, data):
    spans = cut(page)
    chosen = data.draw(st.sampled_from(spans))
    made = text_edit.replace(page, chosen, f"## New {{#{chosen.id}}}\n\n{body}")
    kept = {span.id: made[span.start : span.end] for span in cut(made)}
    assert kept.keys() == {span.id for span in spans}
    assert all(kept[span.id] == page[span.start : span.end] for span in spans if span.id != chosen.id)


@given(PAGES, st.data())
def test_the_text_that_is_there_changes_nothing(page, data):
    chosen = data.draw(st.sampled_from(cut(page)))
    assert text_edit.replace(page, chosen, page[chosen.start : chosen.end]) == page


@given(PAGES, st.data())
def test_a_section_taken_out_and_put_back_is_where_it_was(page, data):
    spans = cut(page)
    chosen = data.draw(st.sampled_from(spans))
    rest = page[: chosen.start] + page[chosen.end :]
    before = [span.id for span in spans[: spans.index(chosen)]]
    made = text_edit.insert(rest, cut(rest), before, page[chosen.start : chosen.end])
    assert [span.id for span in cut(made)] == [span.id for span in spans]


def test_line_ends_stay():
    page = "# A {#a}\r\n\r\nx\r\n\r\n# B {#b}\r\n"
    assert text_edit.replace(page, cut(page)[0], "# A {#a}\n\ny\n") == page.replace("x", "y")
    assert text_edit.insert(page, cut(page), ["a"], "# C {#c}\n") == page.replace("# B", "# C {#c}\r\n\r\n# B")
