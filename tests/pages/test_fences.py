"""Where fences begin and end, against the renderers themselves: markdown-it-py, fenced_code, superfences."""

from html import unescape
from re import DOTALL, findall, sub

import markdown
import pytest
from hexapla.pages.dialects import make_dialect
from hexapla.pages.reader import read
from markdown_it import MarkdownIt

from tests.cases import cases


def of_commonmark(text):
    return [token.content for token in MarkdownIt("commonmark").parse(text) if token.type == "fence"]


def of_python_markdown(extension):
    def contents(text):
        html = markdown.markdown(text, extensions=[extension], extension_configs={
            "pymdownx.superfences": {}, "pymdownx.highlight": {"use_pygments": False}})
        return [unescape(sub(r"<[^>]+>", "", code)) for code in findall(
            r"<pre[^>]*>(?:<span></span>)?<code[^>]*>(.*?)</code></pre>", html, DOTALL)]
    return contents


RENDERERS = {
    "github": (of_commonmark, make_dialect("github", None)),
    "fenced_code": (of_python_markdown("fenced_code"), make_dialect("", {"fenced_code": {}})),
    "superfences": (of_python_markdown("pymdownx.superfences"), make_dialect("", {"pymdownx.superfences": {}})),
}


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("case", cases("fences"))
def test_a_fence_ends_where_the_renderer_ends_it(case, renderer):
    contents, dialect = RENDERERS[renderer]
    closed = [fence for fence in read(case["text"], dialect).fences if fence.end_line or renderer == "github"]
    assert [fence.content.strip() for fence in closed] == [code.strip() for code in contents(case["text"])]
