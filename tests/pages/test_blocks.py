"""The block model of a page's source: what holds for any text, and that its views agree."""

from itertools import pairwise

from hexapla.pages import parse, spans
from hexapla.pages.blocks import BlockKind, read_blocks
from hexapla.pages.lines import read
from hexapla.translation.sections.sections import cut_sections, section_ids
from hexapla.translation.sections.segments import all_segments
from hypothesis import given, settings
from hypothesis import strategies as st

LINES = st.sampled_from([
    "# Title {#a}", "## Other [[b]]", "###c ##", "Setext {#s}", "------", "====", "Some words", "  more  ", "- item",
    "1. item", "> quoted", "> ", "```", "~~~sh", "| a | `b|c` |", "|---|---|", "a | b", "--|--", "| alone",
    "---", "===",
    "!!! note \"x\"", "??? tip", "/// tip | Title ", "    indented", "<div>", "<b>word</b>", "<!-- c", "-->",
    "[^1]: note", "[l]: t", "--8<-- \"a.py\"", "{* a.py *}", "::: module", "title: \"A title\"", "梯度", "", "", "\\",
])
PAGES = st.one_of(
    st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=14).flatmap(
        lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))),
    st.lists(LINES, max_size=8).map(lambda lines: "\n".join(["---", *lines])),
)


@settings(deadline=None)
@given(PAGES)
def test_the_blocks_of_a_page_joined_are_its_text(page):
    blocks = read_blocks(page)
    assert "".join(block.line.text for block in blocks) == page
    assert all(page.startswith(block.line.text, block.start) for block in blocks)


@settings(deadline=None)
@given(PAGES)
def test_words_stand_in_order_inside_their_blocks(page):
    for block in read_blocks(page):
        edges = [block.start, *(edge for extent in block.words for edge in extent), block.start + len(block.line.text)]
        assert all(one <= other for one, other in pairwise(edges))
        if block.words and block.kind is not BlockKind.ROW:
            assert page[block.start : block.words[0][0]] == block.prefix
        if block.kind is BlockKind.HEADING:
            assert page.startswith(block.suffix, block.words[0][1])


@settings(deadline=None)
@given(PAGES)
def test_every_view_takes_the_same_lines_for_headings(page):
    headings = [block.line.number for block in read_blocks(page) if block.kind is BlockKind.HEADING]
    assert [heading.line for heading in parse(page).headings] == headings
    assert [span.line for span in cut_sections(page) if span.level] == headings
    assert [segment.line for segment in all_segments(page) if segment.kind == "heading"] == headings


@settings(deadline=None)
@given(PAGES)
def test_spans_joined_are_the_page(page):
    assert "".join(span.text for span in spans(page)) == page


def test_a_table_is_one_where_a_line_of_dashes_is_below_its_first_row():
    kinds = [block.kind for block in read_blocks("| a |\n| b |\n\nwords | more\nc | d\n--|--\n| e |\n")]
    assert kinds == [
        BlockKind.PARAGRAPH, BlockKind.PARAGRAPH, BlockKind.BLANK, BlockKind.PARAGRAPH, BlockKind.ROW,
        BlockKind.DELIMITER, BlockKind.ROW,
    ]


@settings(deadline=None)
@given(PAGES)
def test_the_ids_of_headings_are_those_of_the_sections(page):
    assert section_ids([*read(page)]) == {span.line: span.id for span in cut_sections(page) if span.level}
