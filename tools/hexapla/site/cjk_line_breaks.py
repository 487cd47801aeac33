"""A line break between two CJK characters is no space: take it out of the rendered text, never out of code.

Browsers put a space there; CSS Text lets them drop it, and they do not agree.
"""

import re

from hexapla.languages import UNSPACED

TAGS = r"(?:</?(?:a|abbr|b|code|del|em|i|ins|kbd|mark|small|span|strong|sub|sup|u)\b[^<>]*>)*"
BREAK = re.compile(f"(?<=[{UNSPACED}])({TAGS})\n({TAGS})(?=[{UNSPACED}])")
PREFORMATTED = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)


def join_lines(html: str) -> str:
    """Rendered HTML with the line breaks between CJK characters taken out, tags between them kept."""
    parts = PREFORMATTED.split(html)  # text, element, its name, text, ...
    for index in range(0, len(parts), 3):
        parts[index] = BREAK.sub(r"\1\2", parts[index])
    return "".join(part for index, part in enumerate(parts) if index % 3 != 2)
