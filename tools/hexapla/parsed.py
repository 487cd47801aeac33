"""What parsers make of texts: at once, or out of an earlier run."""

from collections.abc import Callable
from typing import Any

# `parsed(text, parse)` is `parse(text)`. PyYAML takes longer to import than a page to check, and as long again for a
# glossary: who asks for plain data (mappings by strings, lists, strings, numbers) need not parse a text twice.
Parsed = Callable[[str, Callable[[str], Any]], Any]


def anew(text: str, parse: Callable[[str], Any]) -> Any:
    """Parse a text; nothing is kept."""
    return parse(text)
