"""How the pages of a tree are rendered: by the rules of its site generator, as its layout names them."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from hexapla.pages.lines import Closes, closes_by, closes_longer, closes_mdx, closes_same

Renderer = Callable[[str], str]


class Dialect(NamedTuple):
    """How a tree's Markdown becomes HTML. `render` keeps private-use characters; `key` is all that it depends on."""

    name: str
    key: str
    render: Renderer
    closes_fence: Closes = closes_same


def make_dialect(anchors: str, extensions: Mapping[str, Any] | None, mdx: bool = False) -> Dialect:
    """The dialect of a layout's `anchors` and `extensions`, None for the usual ones, and of pages that are MDX."""
    key = json.dumps([anchors, extensions, mdx], default=str)
    closes = closes_by(anchors, mdx)
    name = anchors if closes in {closes_longer, closes_mdx} else "python-markdown"

    @cache
    def load_renderer() -> Renderer:
        """The renderer, made for the first page that is not in the cache."""
        if name == "python-markdown":
            from hexapla.pages.python_markdown import choose_extensions
            from hexapla.pages.python_markdown import make_renderer as python_markdown

            return python_markdown(choose_extensions(extensions, "pymdownx" if anchors == "pymdownx" else ""))
        from hexapla.pages.commonmark import make_renderer as commonmark

        return commonmark(anchors, mdx)

    return Dialect(name, key, lambda text: load_renderer()(text), closes)
