"""What is read in a page of MDX, and where."""

import pytest
from hexapla.pages.blocks import read_blocks
from hexapla.pages.dialects import make_dialect
from hexapla.pages.lines import closes_mdx
from hexapla.pages.reader import read
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import cases

MDX = make_dialect("github", None, mdx=True)
PIECES = st.sampled_from([
    "import a from 'b'", "export const a = {", "}", "{", "{a}", "{/* a */}", "{/*", "*/}", "<A>", "</A>", "<A b=\"c\"",
    "<A title={'b'} />", " /", ">", "<", "`", "``", "${", "'", '"', "```", "~~~", "# A {/*b*/}", "- a", "> ", "    ",
    "a ", "字", "\\", "\n", "\n\n", "\r\n", "---\n", "<!--", "-->", "[a](b)", "| a | b |\n|---|---|\n",
])


@pytest.mark.parametrize("case", cases("mdx"))
def test_a_page_is_read_as_its_readers_see_it(case):
    page = read(case["text"], MDX)
    if "problem" in case:
        [problem] = page.problems
        line, column, reason = case["problem"]
        assert (problem.rule, problem.line, problem.column) == ("page-unreadable", line, column)
        assert problem.message == f"the page is not MDX: {reason}"
        return
    assert [[each.level, block.text, each.id, each.line] for each, block in zip(
        page.headings, (block for block in page.blocks if block.kind[0] == "h"), strict=True)] == case["headings"]
    assert [[link.target, link.text, link.line] for link in page.links] == case["links"]
    assert all(case["text"].startswith(link.written, link.offset) for link in page.links)
    assert [[block.line, block.column, block.text] for block in page.blocks] == case["text_blocks"]
    assert [[fence.language, fence.content] for fence in page.fences] == case["code"]
    blocks = read_blocks(case["text"], closes_mdx)
    assert [case["text"][start:end] for block in blocks for start, end in block.words] == case["words"]


@settings(deadline=None)
@given(st.lists(PIECES, max_size=20).map("".join))
def test_any_text_is_read_and_its_lines_joined_are_the_text(text):
    read(text, MDX)
    assert "".join(block.line.text for block in read_blocks(text, closes_mdx)) == text
