"""How the pages of a tree are rendered: by the rules of its site generator, as its layout names them."""

import json
from collections.abc import Mapping
from typing import Any

from hexapla.pages import commonmark, python_markdown
from hexapla.pages.lines import closes_by, closes_longer
from hexapla.pages.reader import Dialect


def make_dialect(anchors: str, extensions: Mapping[str, Any] | None) -> Dialect:
    """The dialect of a layout's `anchors` and `extensions`, None for the usual ones."""
    key = json.dumps([anchors, extensions], default=str)
    closes = closes_by(anchors)
    if closes is closes_longer:
        return Dialect(anchors, key, commonmark.renderer(anchors), closes)
    slug = "pymdownx" if anchors == "pymdownx" else ""
    return Dialect("python-markdown", key, python_markdown.renderer(python_markdown.setup(extensions, slug)), closes)
