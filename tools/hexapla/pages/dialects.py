"""How the pages of a tree are rendered: by the rules of its site generator, as its layout names them."""

import json
from collections.abc import Mapping
from typing import Any

from hexapla.pages import commonmark, python_markdown
from hexapla.pages.lines import closes_by, closes_longer, closes_mdx
from hexapla.pages.reader import Dialect


def make_dialect(anchors: str, extensions: Mapping[str, Any] | None, mdx: bool = False) -> Dialect:
    """The dialect of a layout's `anchors` and `extensions`, None for the usual ones, and of pages that are MDX."""
    key = json.dumps([anchors, extensions, mdx], default=str)
    closes = closes_by(anchors, mdx)
    if closes in {closes_longer, closes_mdx}:
        return Dialect(anchors, key, commonmark.renderer(anchors, mdx), closes)
    slug = "pymdownx" if anchors == "pymdownx" else ""
    return Dialect("python-markdown", key, python_markdown.renderer(python_markdown.setup(extensions, slug)), closes)
