"""Markdown text becomes a Page: what it holds, each thing with its line and column."""

from hexapla.pages.parse import parse
from hexapla.pages.records import Fence, Heading, Include, Page, Problem
from hexapla.pages.sections import Excerpt, SectionError, excerpt
from hexapla.pages.spans import Span, spans

__all__ = [
    "Excerpt", "Fence", "Heading", "Include", "Page", "Problem", "SectionError", "Span", "excerpt", "parse", "spans",
]
