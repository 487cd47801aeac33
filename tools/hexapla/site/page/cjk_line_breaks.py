"""Line breaks that are no space are taken out of rendered text: between two CJK characters, beside a full-width mark.

CSS Text lets a browser drop that space, and browsers do not agree. Code keeps its line breaks.
"""

import re

from hexapla.languages import FULL_WIDTH_MARKS, UNSPACED

TAGS = r"(?:</?(?:a|abbr|b|code|del|em|i|ins|kbd|mark|small|span|strong|sub|sup|u)\b[^<>]*>)*"
LINE_BREAK = re.compile(
    f"(?<=[{UNSPACED}])({TAGS})\n({TAGS})(?=[{UNSPACED}])"
    f"|(?<=[{FULL_WIDTH_MARKS}])({TAGS})\n|\n({TAGS})(?=[{FULL_WIDTH_MARKS}])"
)
PREFORMATTED = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)


def remove_cjk_line_breaks(html: str) -> str:
    """Rendered HTML without the line breaks that CJK text shows as no space; tags between them are kept."""
    parts = PREFORMATTED.split(html)  # text, element, its name, text, ...
    for index in range(0, len(parts), 3):
        parts[index] = LINE_BREAK.sub(r"\1\2\3\4", parts[index])
    return "".join(part for index, part in enumerate(parts) if index % 3 != 2)
