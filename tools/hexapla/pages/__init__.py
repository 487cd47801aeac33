"""Markdown text becomes a Page: what it holds, each thing with its line and column."""

from hexapla.pages.excerpts import MARKER, Excerpt, SectionError, excerpt, visible_lines
from hexapla.pages.model import (
    Admonition,
    Anchor,
    Block,
    Code,
    Fence,
    Heading,
    Include,
    Inclusion,
    Link,
    Listing,
    Markup,
    Page,
    Problem,
    Table,
)
from hexapla.pages.parser import parse
from hexapla.pages.spans import Span, spans

__all__ = [
    "MARKER", "Admonition", "Anchor", "Block", "Code", "Excerpt", "Fence", "Heading", "Include", "Inclusion", "Link",
    "Listing", "Markup", "Page", "Problem", "SectionError", "Span", "Table", "excerpt", "parse", "spans",
    "visible_lines",
]
