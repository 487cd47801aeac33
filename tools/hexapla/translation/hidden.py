"""Characters that nobody sees: control characters, and those that make a line read in another order than it stands."""

import re

HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with such characters named, as <U+202E>: a terminal would obey them."""
    return HIDDEN.sub(lambda match: f"<U+{ord(match.group()):04X}>", text)
