"""The extension of Python-Markdown that shows tested code with its evidence: `hexapla.markdown` in a configuration.

Zensical loads it by this name; the MkDocs plugin adds it by itself.
"""

from typing import Protocol

from markdown.extensions import Extension

from hexapla.site.page.page_extension import PageExtension, RenderingPage
from hexapla.site.page.project_page import find_page


class Build(Protocol):
    """A build of the MkDocs plugin, which says itself which page is rendered."""

    @property
    def rendering(self) -> RenderingPage | None: ...


def makeExtension(
    build: Build | None = None, project: str = "", language: str = "", **options: object
) -> Extension:
    """The extension for a build of the plugin, or with the options of a configuration."""
    if build is not None:
        return PageExtension(lambda md: build.rendering)
    return PageExtension(lambda md: find_page(md, project, language))
