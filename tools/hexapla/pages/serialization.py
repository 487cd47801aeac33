"""A Page as plain data, for a cache, and back: making it of these takes a fiftieth of the time that rendering does."""

from collections.abc import Mapping
from typing import Any

from hexapla.pages.lines import split_lines
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

RECORDS: dict[str, Any] = {
    "headings": Heading, "fences": Fence, "includes": Include, "problems": Problem, "inclusions": Inclusion,
    "links": Link, "anchors": Anchor, "blocks": Block, "codes": Code, "lists": Listing, "tables": Table,
    "admonitions": Admonition, "markup": Markup,
}


def plain(page: Page) -> dict[str, Any] | None:
    """A page but for its text, as JSON can say it; None where front matter holds more than words."""
    if not all(isinstance(word, str) for item in page.meta.items() for word in item):
        return None
    return {name: value for name, value in page._asdict().items() if name not in {"text", "lines"}}


def revived(text: str, fields: Mapping[str, Any]) -> Page:
    """The page of a text, of what `plain` made of it."""
    records = {name: tuple(map(record._make, fields[name])) for name, record in RECORDS.items()}
    return Page(**{**fields, **records, "text": text, "lines": tuple(split_lines(text))})
