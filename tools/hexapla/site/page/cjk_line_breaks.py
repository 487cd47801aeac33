"""Line breaks between two CJK characters are taken out of rendered text, where browsers would show a space.

CSS Text lets a browser drop that space, and browsers do not agree. Code keeps its line breaks.
"""

import re

from hexapla.languages import UNSPACED

TAGS = r"(?:</?(?:a|abbr|b|code|del|em|i|ins|kbd|mark|small|span|strong|sub|sup|u)\b[^<>]*>)*"
LINE_BREAK = re.compile(f"(?<=[{UNSPACED}])({TAGS})\n({TAGS})(?=[{UNSPACED}])")
PREFORMATTED = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)


def remove_cjk_line_breaks(html: str) -> str:
    """Rendered HTML without the line breaks between CJK characters; tags between them are kept."""
    parts = PREFORMATTED.split(html)  # text, element, its name, text, ...
    for index in range(0, len(parts), 3):
        parts[index] = LINE_BREAK.sub(r"\1\2", parts[index])
    return "".join(part for index, part in enumerate(parts) if index % 3 != 2)
