"""How the pages of a tree are rendered, known before what renders them is imported: most runs render few."""

import json
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexapla.pages.html_reader import Rendered
    from hexapla.pages.reader import Dialect


class LateDialect:
    """The dialect of a layout's `anchors` and `extensions`, made for the first page."""

    def __init__(self, anchors: str, extensions: object) -> None:
        self.anchors, self.extensions = anchors, extensions

    @property
    def key(self) -> str:
        """All that a rendered page depends on beside its text and the program."""
        return json.dumps([self.anchors, self.extensions], default=str)

    @property
    def name(self) -> str:
        """What the dialect is called."""
        return self.made.name

    @property
    def render(self) -> "Callable[[str], Rendered]":
        """What makes a page's HTML."""
        return self.made.render

    @cached_property
    def made(self) -> "Dialect":
        """The renderer."""
        if self.anchors in {"github", "doc-builder"}:
            from hexapla.pages import commonmark

            return commonmark.github() if self.anchors == "github" else commonmark.doc_builder()
        from hexapla.pages import python_markdown

        asked = "pymdownx" if self.anchors == "pymdownx" else ""
        return python_markdown.python_markdown(python_markdown.setup(self.extensions, asked))
