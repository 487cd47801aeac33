"""Reading takes time in proportion to a page's length: a page comes from anybody who may open a pull request."""

from functools import partial

import pytest
from hexapla.pages.dialects import make_dialect
from hexapla.pages.reader import read

from tests.growth.growth import superlinear

pytestmark = pytest.mark.slow

DIALECTS = {"python-markdown": make_dialect("", None), "github": make_dialect("github", None)}
MDX = make_dialect("github", None, mdx=True)
LENGTH = 10_000  # characters
RUNS = [
    "[", "]", "(", "![", "[a](b) ", "](", "[a](<b", "[^", "[^1] ", "`", "`a` ", "``a ", "*", "*a ", "***a*", "_a ", "~",
    "|", "|a", "> ", ">\n", "- a\n", "1. a\n", "- [ ] a\n", "a\n", "a\n\n", "word ", "<", "<a ", "<a \n\n", "<b>a</b>",
    "<div>\n", "<!-- ", "{", "{#a}", "&", "\\", "字", "字\n", "ａ：", "# a\n", "a\n-\n", "---\n", "```\n", "    a\n",
    "[^1]: a\n\n", "[a]: b\n", "*[a]: b\n", "!!! a\n", "!!! a\n    b\n", "??? a\n", "=== \"a\"\n", "/// a\n", " ", "\n",
    "| a | b |\n", "{* a *}\n",
]


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("run", RUNS)
def test_twice_the_length_takes_no_more_than_three_times_the_time(name, run):
    assert not superlinear(lambda count: partial(read, run * count, DIALECTS[name]), LENGTH // len(run))


@pytest.mark.parametrize("run", [
    *RUNS, "<A>", "<A>\n", "<A b=\"c\">", "<A b={c}>", "<A/>", "<A/>\n", "</A>", "{a}", "{a}\n", "{(", "{`${", "}",
    "{'", "{/*",
    "{/* a */}", "{/* a */}\n", "import a from 'a'\n", "import a from 'a'\n\n",
    "export const a = (\n\n", "{'\\'",
    "# A {/*a*/}\n", "<A b='", "<", "{\"a\"}", "a <b>c</b> {d}\n", "> <A>\n> b\n> </A>\n\n", "    <A/>\n", "a {`b`} ",
])
def test_the_same_of_mdx(run):
    assert not superlinear(lambda count: partial(read, run * count, MDX), LENGTH // len(run))


def test_the_same_of_tags_and_brackets_in_each_other():
    for run, end in (("<A>", "</A>"), ("<A>\n", "\n</A>"), ("{", "}"), ("{(", ")}"), ("{`${", "}`}"), ("{(", "}")):
        assert not superlinear(lambda count: partial(read, run * count + end * count, MDX), LENGTH // 10)  # noqa: B023


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("marker", ["- a\n", "1. a\n", "> a\n", "!!! a\n"])
def test_lines_nested_thirty_deep(name, marker):
    def nested(count):
        return partial(read, "".join("    " * (line % 30) + marker for line in range(count)), DIALECTS[name])

    assert not superlinear(nested, 300)


ROW = "|a0" * 50 + "|\n"


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("head", ["", ROW + "|-" * 50 + "|\n"], ids=["paragraph", "table"])
def test_twenty_five_thousand_cells_take_half_the_time_of_fifty_thousand(name, head):
    assert not superlinear(lambda rows: partial(read, head + ROW * rows, DIALECTS[name]), 500)
