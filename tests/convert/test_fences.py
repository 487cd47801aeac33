"""Fences on their way from one dialect to another: they hold the same code in both."""

import pytest
from hexapla.cli import main
from hexapla.convert.fences import portable_fences
from hexapla.pages import parse
from hexapla.pages.lines import closes_longer, closes_same
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases
from tests.site.project import write

RULES = {"commonmark": closes_longer, "python-markdown": closes_same}
LINES = ["```", "````", "`````", "~~~", "~~~~", "```js", "> ```", "  ````", "words", "", "# Heading", "1. one"]


def codes(text, closes):
    """The code of the fences that are closed, and what they are in."""
    return [(fence.line, fence.end_line, fence.language, fence.content) for fence in parse(text, closes).fences
            if fence.end_line]


@pytest.mark.parametrize("rule", RULES)
@given(lines=st.lists(st.sampled_from(LINES), max_size=14))
def test_a_fence_holds_the_same_code_by_either_rule(rule, lines):
    text, notes = "\n".join(lines), []
    made = portable_fences(text, RULES[rule], lambda *note: notes.append(note))
    if all(fence.end_line for fence in parse(text, RULES[rule]).fences):
        assert codes(made, closes_longer) == codes(made, closes_same) == codes(text, RULES[rule])
    assert bool(notes) == (made != text)
    assert portable_fences(made, RULES[rule], pytest.fail) == made


@pytest.mark.parametrize("case", cases("fences"))
def test_code_of_another_dialect_is_the_same_code_here(case, tmp_path, capsys):
    text = f"# Page\n\n{case['text']}"
    theirs = write(tmp_path / "theirs", {"docusaurus.config.js": "x", "docs/index.md": text})
    main(["convert", str(theirs), str(tmp_path / "ours"), "--write"])
    ours = (tmp_path / "ours/docs/en/index.md").read_text(encoding="utf-8")
    assert [code for *_, code in codes(ours, closes_same)] == [code for *_, code in codes(text, closes_longer)]
    assert ("fence-marks" in capsys.readouterr().out) == (codes(text, closes_same) != codes(text, closes_longer))
