"""Kept highlighting gives the HTML that the library gives, and highlights a block once."""

import pytest
from hexapla.site.build import highlighting_cache
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown import Markdown

BLOCKS = [
    "```python\nx = 1\n```", "```python hl_lines=\"1 2\"\nx = 1\ny = 2\n```", "```python linenums=\"3\"\nx = 1\n```",
    "```python title=\"a & b\"\nx = 1\n```", "```text\nx = 1\n```", "```\nx = 1\n```", "    x = 1", "`#!python x = 1`",
    "``` { .python #id .class data-a=\"b\" }\nx = 1\n```", "```nonsense\nx\n```", "text",
    "=== \"Tab\"\n\n    ```js\n    x\n    ```",
]
SETTINGS = [
    {}, {"linenums": True}, {"anchor_linenums": True, "line_spans": "__span", "pygments_lang_class": True},
    {"auto_title": True}, {"auto_title": True, "auto_title_map": {"Python": {"title": "<b>P</b>", "mode": "html"}}},
    {"use_pygments": False}, {"noclasses": True},
]
EXTENSIONS = ["attr_list", "md_in_html", *(f"pymdownx.{name}" for name in (
    "tabbed", "inlinehilite", "superfences", "highlight"))]


def rendered(text, configured, *more):
    """A page's HTML, rendered as MkDocs does: by a library of its own."""
    made = Markdown(extensions=[*EXTENSIONS, *more], extension_configs={"pymdownx.highlight": configured})
    return made.convert(text)


@pytest.mark.parametrize("configured", SETTINGS, ids=repr)
@settings(deadline=None, max_examples=40)
@given(pages=st.lists(st.lists(st.sampled_from(BLOCKS), max_size=6).map("\n\n".join), min_size=2, max_size=4))
def test_pages_are_as_the_library_renders_them(configured, pages):
    for page in [*pages, *pages]:
        assert rendered(page, configured, highlighting_cache.__name__) == rendered(page, configured)


def test_a_block_is_highlighted_once(monkeypatch):
    calls = []
    monkeypatch.setattr("pymdownx.highlight.highlight", lambda *given: calls.append(given) or "<div></div>")
    monkeypatch.setattr(highlighting_cache.KeptHighlight, "blocks", {})
    for _ in range(3):
        rendered(BLOCKS[0], {}, highlighting_cache.__name__)
    assert len(calls) == 1


def test_the_oldest_block_is_given_up(monkeypatch):
    kept = {}
    monkeypatch.setattr(highlighting_cache.KeptHighlight, "blocks", kept)
    monkeypatch.setattr(highlighting_cache, "KEPT", 2)
    for number in range(3):
        rendered(f"```text\n{number}\n```", {}, highlighting_cache.__name__)
    assert len(kept) == 2 and "('0\\n'" not in "".join(kept) and "'0'" not in "".join(kept)
