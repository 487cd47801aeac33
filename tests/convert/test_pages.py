"""Pages of doc-builder become ours and go back: by example, and as a law."""

from pathlib import Path

import pytest
import yaml
from hexapla.convert.conversion_records import LinkIndex
from hexapla.convert.headings import former_ids, give_ids, note_headings
from hexapla.convert.prose import find_written
from hexapla.convert.source_formats import DIALECTS
from hexapla.pages.dialects import make_dialect
from hexapla.pages.reader import read
from hypothesis import assume, given, settings
from hypothesis import strategies as st

DIALECT = DIALECTS["doc-builder"]
CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/convert/doc_builder.yml").read_text(encoding="utf-8"))
PAGES = frozenset({"page", "trainer", "guides/tour"})
REFERENCE = "https://huggingface.co/docs/kit/main/en"


def converted(text):
    """A page of ours, the kinds of notes taken, and the index that takes it back."""
    kinds = []

    def note(kind, line, message):
        assert 1 <= line <= text.count("\n") + 1
        kinds.append(kind)

    headings = DIALECT.read_headings(text)
    ids = give_ids(headings, None)
    note_headings(headings, None, note)
    now, was = former_ids(headings, ids)
    index = LinkIndex(PAGES, {"page": now}, {"page": was}, REFERENCE, {"Trainer": "trainer"})
    return DIALECT.to_site(text, "page", index, headings, ids, note), kinds, index


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_page_becomes_ours_and_goes_back(case):
    ours, kinds, index = converted(case["theirs"])
    assert ours == case["ours"]
    assert sorted(kinds) == sorted(case.get("notes", []))
    assert DIALECT.from_site(ours, "page", index) == case["theirs"]


PIECES = [piece for case in CASES for piece in case["theirs"].splitlines()] + [
    "", "", "text", "- item", "  more", "  - b", "   - c", "1. d", "    indented", "> quoted", ">", "```", "~~~",
    "<!--", "-->", "|a|b|", "|-|-|", "===", "```py out", "Title\n---", "   ", "\t", "`tick", "# #", "## Same",
    "## Same",
    "[x](#same)", "[y](#wrap)", "&amp;",
    "  <Tip>", "  text", "  </Tip>", "  > [!NOTE]", "  > text", "<div>", "</div>", "<pt>", "</pt>", "<!-- x -->",
]
LINES = st.lists(st.tuples(st.sampled_from(["", "", "", "  ", "    "]), st.sampled_from(PIECES)), max_size=14)
COMPONENTS = st.recursive(
    st.sampled_from(["text\n", "\n", "```py\nx\n```\n", "- a\n", "> [!TIP]\n> a\n", "[`Trainer`]\n", "    code\n"]),
    lambda inside: st.builds(
        lambda form, parts: form[0] + "".join(parts) + form[1],
        st.sampled_from([
            ("<Tip>\n\n", "\n</Tip>\n"), ("<Tip>\n", "</Tip>\n\n"), ("<Tip warning={true}>\n\n", "\n</Tip>\n\n"),
            ('<hfoptions id="a">\n<hfoption id="b">\n\n', "\n</hfoption>\n</hfoptions>\n\n"),
            ("<frameworkcontent>\n<pt>\n", "</pt>\n<tf>\n\nx\n\n</tf>\n</frameworkcontent>\n"),
        ]), st.lists(inside, max_size=3),
    ), max_leaves=8,
)


def taken_back(text):
    """A page there and back."""
    assume(find_written(DIALECTS["doc-builder"].ours, text) is None)
    ours, _, index = converted(text)
    return DIALECT.from_site(ours, "page", index)


@settings(deadline=None)
@given(LINES, st.booleans())
def test_there_and_back_is_the_same_page(lines, ended):
    text = "\n".join(indent + piece for indent, piece in lines) + "\n" * ended
    assert taken_back(text) == text


@settings(deadline=None)
@given(st.lists(COMPONENTS, max_size=4).map("".join))
def test_components_in_components_go_back(text):
    assert taken_back(text) == text


@settings(deadline=None)
@given(st.text(alphabet="ab \n#`<>[]()!/-TipB:*&;=\"'{}~|", max_size=80))
def test_any_text_goes_back(text):
    assert taken_back(text) == text


@settings(deadline=None)
@given(st.lists(st.sampled_from([
    "<script>", "</script>", "<img src=x onerror=go()>", "<IFRAME src=x>", "[x](JavaScript:go)", "[x]: javascript:go\n",
    "<javascript:go>", "\n\n", " ", "text", "<a href='vbscript:go'>", "<svg onload=go()>", "<b\nonclick=go()>", "`",
]), max_size=8))
def test_nothing_that_runs_is_carried_over_live_outside_code(parts):
    """What the service refuses to write is what is left; here tags that are whole leave none."""
    text = "".join(parts)
    assume("`" not in text)
    assume(find_written(DIALECTS["doc-builder"].ours, text) is None)
    assert not read(converted(text)[0], make_dialect("python-markdown", None)).markup


@pytest.mark.parametrize(("translated", "expected"), [
    ("# 甲\n## 乙\n## 丙\n### 丁\n", ["a", "b", "c", "d"]),
    ("# 甲\n## 乙\n## 丙\n### 丁\n### 戊\n", ["a", "b", "c", "丁", "戊"]),  # no telling which of the two is D
    ("# 甲\n## 乙\n### 丁\n## 丙\n", ["a", "b", "丁", "c"]),
    ("## 乙\n## 丙\n", ["乙", "丙"]),
    ("# 甲\n## 乙[[b]]\n## b\n", ["a", "b", "c"]),
])
def test_a_heading_has_the_id_of_its_counterpart(translated, expected):
    source = DIALECT.read_headings("# A\n## B\n## C\n### D\n")
    assert give_ids(DIALECT.read_headings(translated), source) == expected


def test_what_is_written_below_a_page_whose_lists_moved_goes_back_too():
    ours, _, index = converted("- a\n  - b\n")
    assert ours.endswith("    - b\n\n<!-- kept: lists -->\n")
    back = DIALECT.from_site(ours + "\nnew\n\n- c\n    - d\n", "page", index)
    assert back == "- a\n  - b\n\nnew\n\n- c\n  - d\n"


def test_lists_of_a_page_that_ends_inside_code_stay_and_are_listed():
    text = "- a\n  - b\n\n```\nx\n"
    ours, kinds, _ = converted(text)
    assert ours == text and kinds == ["list-indent"]
