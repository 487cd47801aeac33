"""Names in the cells of a table may break after a sign, not in the middle of a word."""

import re

CELL = re.compile(r"<t[dh]\b[^<>]*>.*?</t[dh]>", re.S)
CODE = re.compile(r"<code>([^<]*)</code>")
SIGN = re.compile(r"(?<=[_=.,/(])(?=[^\s)])")


def break_code_in_tables(html: str) -> str:
    """Rendered HTML with places to break in the code of its tables."""
    def break_code(code: re.Match[str]) -> str:
        return f"<code>{SIGN.sub('<wbr>', code[1])}</code>"

    return CELL.sub(lambda cell: CODE.sub(break_code, cell[0]), html) if "<table" in html else html
