"""A Page as plain data, for a cache, and back: making it of these takes a fiftieth of the time that rendering does."""

from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

from hexapla.pages.lines import split_lines
from hexapla.pages.model import Page

# By field: the class of the records in it.
RECORDS: dict[str, Any] = {
    name: get_args(hint)[0] for name, hint in get_type_hints(Page).items()
    if hasattr((get_args(hint) or (None,))[0], "_make")
}


def page_data(page: Page) -> dict[str, Any] | None:
    """A page but for its text, as JSON can say it; None where front matter holds more than words."""
    if not all(isinstance(word, str) for item in page.meta.items() for word in item):
        return None
    return {name: value for name, value in page._asdict().items() if name not in {"text", "lines"}}


def page_from_data(text: str, fields: Mapping[str, Any]) -> Page:
    """The page of a text, of what `page_data` made of it."""
    records = {name: tuple(map(record._make, fields[name])) for name, record in RECORDS.items()}
    return Page(**{**fields, **records, "text": text, "lines": tuple(split_lines(text))})
