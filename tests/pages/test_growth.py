"""Reading takes time in proportion to a page's length: a page comes from anybody who may open a pull request."""

import time

import pytest
from hexapla.pages.dialects import make_dialect
from hexapla.pages.reader import read

DIALECTS = {"python-markdown": make_dialect("", None), "github": make_dialect("github", None)}
LENGTH = 10_000  # characters
NOISE = 0.2  # seconds
TRIES = 4
RUNS = [
    "[", "]", "(", "![", "[a](b) ", "](", "[a](<b", "[^", "[^1] ", "`", "`a` ", "``a ", "*", "*a ", "***a*", "_a ", "~",
    "|", "|a", "> ", ">\n", "- a\n", "1. a\n", "- [ ] a\n", "a\n", "a\n\n", "word ", "<", "<a ", "<a \n\n", "<b>a</b>",
    "<div>\n", "<!-- ", "{", "{#a}", "&", "\\", "字", "字\n", "ａ：", "# a\n", "a\n-\n", "---\n", "```\n", "    a\n",
    "[^1]: a\n\n", "[a]: b\n", "*[a]: b\n", "!!! a\n", "!!! a\n    b\n", "??? a\n", "=== \"a\"\n", "/// a\n", " ", "\n",
    "| a | b |\n", "{* a *}\n",
]


def seconds(text, dialect):
    """CPU seconds of reading a page once."""
    start = time.process_time()
    read(text, dialect)
    return time.process_time() - start


def hold(short, long, dialect):
    """Assert that the long page takes no more than three times the time; what other programs disturb is tried again."""
    once, twice = seconds(short, dialect), seconds(long, dialect)
    for _ in range(TRIES):
        if twice <= 3 * max(once, NOISE):
            return
        once, twice = min(once, seconds(short, dialect)), min(twice, seconds(long, dialect))
    assert twice <= 3 * max(once, NOISE)


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("run", RUNS)
def test_twice_the_length_takes_no_more_than_three_times_the_time(name, run):
    hold(*(run * (times * LENGTH // len(run)) for times in (1, 2)), DIALECTS[name])


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("marker", ["- a\n", "1. a\n", "> a\n", "!!! a\n"])
def test_lines_nested_thirty_deep(name, marker):
    hold(*("".join("    " * (line % 30) + marker for line in range(lines)) for lines in (300, 600)), DIALECTS[name])


ROW = "|a0" * 50 + "|\n"


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("text", [ROW * 1000, ROW + "|-" * 50 + "|\n" + ROW * 1000], ids=["paragraph", "table"])
def test_fifty_thousand_cells_take_half_the_time_of_a_hundred_thousand(name, text):
    hold(text, text + ROW * 1000, DIALECTS[name])
