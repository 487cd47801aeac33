"""Where the lines of rendered text may break, and which line breaks of Markdown are no space."""

import re

from hexapla.languages import FULL_WIDTH_MARKS, UNSPACED

TAG = r"</?(?:a|abbr|b|code|del|em|i|ins|kbd|mark|small|span|strong|sub|sup|u)\b[^<>]*>"
TAGS = f"(?:{TAG})*"
LINE_BREAK = re.compile(
    f"(?<=[{UNSPACED}])({TAGS})\n({TAGS})(?=[{UNSPACED}])"
    f"|(?<=[{FULL_WIDTH_MARKS}])({TAGS})\n|\n({TAGS})(?=[{FULL_WIDTH_MARKS}])"
    f"|(?<=[{FULL_WIDTH_MARKS}])((?:{TAG})+) +"  # `**Word。** more`: Markdown wants the space, a reader would see a gap
)
PREFORMATTED = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)
CELL = re.compile(r"<t[dh]\b[^<>]*>.*?</t[dh]>", re.S)
CODE = re.compile(r"<code>([^<]*)</code>")
SIGN = re.compile(r"(?<=[_=.,/(])(?=[^\s)])")


def remove_cjk_line_breaks(html: str) -> str:
    """Rendered HTML without line breaks between CJK characters or beside a full-width mark, tags between them kept.

    A space behind a full-width mark and the end of its markup goes too.

    CSS Text lets a browser drop the space that such a line break would be, and browsers do not agree. Code keeps its
    own.
    """
    parts = PREFORMATTED.split(html)  # text, element, its name, text, ...
    for index in range(0, len(parts), 3):
        parts[index] = LINE_BREAK.sub(r"\1\2\3\4\5", parts[index])
    return "".join(part for index, part in enumerate(parts) if index % 3 != 2)


def break_code_in_tables(html: str) -> str:
    """Rendered HTML whose names in the cells of tables may break after a sign, not in the middle of a word."""
    def break_code(code: re.Match[str]) -> str:
        return f"<code>{SIGN.sub('<wbr>', code[1])}</code>"

    return CELL.sub(lambda cell: CODE.sub(break_code, cell[0]), html) if "<table" in html else html
