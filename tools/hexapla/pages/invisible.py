"""Characters that no page's text has: nobody sees them, and some make a line read in another order than it stands."""

import re

# First and last of each run.
RUNS = (
    ("\x00", "\x08"), ("\x0b", "\x0c"), ("\x0e", "\x1f"),  # controls but tab, line feed and carriage return
    ("\x7f", "\x9f"),                                      # delete, and C1's controls
    ("\u2028", "\u2029"),                                  # they end a line for some programs, and for others not
    ("\u202a", "\u202e"), ("\u2066", "\u2069"),            # embeddings, overrides and isolates (Unicode UAX 9, 3.1)
    ("\ud800", "\udfff"),                                  # halves of a pair
    ("\ufffe", "\uffff"),                                  # no characters at all, and XML cannot hold them
)
HIDDEN = re.compile(f"[{''.join(f'{first}-{last}' for first, last in RUNS)}]")


def visible(text: str) -> str:
    """The text with such characters named, as <U+202E>: a terminal would obey them."""
    return HIDDEN.sub(lambda match: f"<U+{ord(match.group()):04X}>", text)
