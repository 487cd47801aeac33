"""Where the lines of rendered text may break and where not, and which line breaks of Markdown are no space."""

import re
from collections.abc import Callable
from html import unescape

from hexapla.languages import FULL_WIDTH_MARKS, UNSPACED

TAG = r"</?(?:a|abbr|b|code|del|em|i|ins|kbd|mark|small|span|strong|sub|sup|u)\b[^<>]*>"
TAGS = f"(?:{TAG})*"
LINE_BREAK = re.compile(  # each begins with a character of a set, which is looked for in a fifth of the time
    f"(?P<before>[{UNSPACED}{FULL_WIDTH_MARKS}\n])(?:(?<=[{UNSPACED}])({TAGS})\n({TAGS})(?=[{UNSPACED}])"
    f"|(?<=[{FULL_WIDTH_MARKS}])({TAGS})\n|(?<=\n)({TAGS})(?=[{FULL_WIDTH_MARKS}])"
    f"|(?<=[{FULL_WIDTH_MARKS}])((?:{TAG})+) +)"  # `**Word。** more`: Markdown wants the space, a reader sees a gap
)
PREFORMATTED = re.compile(r"<(pre|script|style|textarea)\b")
CELL = re.compile(r"<t[dh]\b[^<>]*>.*?</t[dh]>", re.S)
CODE = re.compile(r"<code>([^<]*)</code>")
ANY_TAG = r"""</?[A-Za-z](?:[^<>"']|"[^"]*"|'[^']*')*>"""  # with values that may hold a `>`
TAGS_AND_CODE = re.compile(rf"(<code>[^<]*</code>|{ANY_TAG})")
SHORT = 16  # as many letters have room in one line of a cell on a phone
SIGN = re.compile(r"(?<=[_=.,/(])(?=[^\s)])|(?<=\s)")
HYPHENED = re.compile(r"(?<![\w.&#;-])(?=[\w.-]*[A-Z\d])(?!\d{4}-)\w[\w.]*(?:-\w+)+")  # 8-bit, ISO-8859-3, M-RoPE
COMMAND = re.compile(r'<div class="language-(?:bash|console) highlight">.*?</code>|<code>(?:[^<]|<wbr>)*</code>', re.S)
OPTION = re.compile(r"(?<=[>\s])--?[A-Za-z][\w-]*")
SHELL_WORD = re.compile(rf"{OPTION.pattern}|(?<=[>\s])[A-Za-z]\w*(?:-\w+)+")
UNIT = r"(?:[kMGT]i?)?(?:B|b|bit|bytes?|FLOPS?|FLOP/s|W|Hz)(?:/s)?|tokens?|[mµn]?s|min|h|%|字节|位元組|バイト|바이트"
MEASURED = re.compile(r"<(pre|code|kbd|samp|math|svg|script|style|textarea|option|time)\b")  # or no prose
MAY_MEASURE = re.compile(rf"\d(?: (?:{UNIT})|\d{{3}}-\d\d-\d)|[A-Z] \d+[枚台]")  # in all text that the next one changes
MEASURE = re.compile(
    rf"{ANY_TAG}|(?P<gap>(?<=\d)[ ](?=(?:{UNIT})(?![A-Za-z0-9_/]))|(?<=[A-Z])[ ](?=\d+[枚台]))"
    rf"|(?P<date>(?<![\w-])\d{{4}}-\d\d-\d\d(?![\w-]))"
)


def remove_cjk_line_breaks(html: str) -> str:
    """Rendered HTML without line breaks between CJK characters or beside a full-width mark, tags between them kept.

    A space behind a full-width mark and the end of its markup goes too.

    CSS Text lets a browser drop the space that such a line break would be, and browsers do not agree. Code keeps its
    own.
    """
    def join_lines(found: re.Match[str]) -> str:
        return "".join(each for each in found.groups("") if each != "\n")

    return change_outside(PREFORMATTED, html, lambda text: LINE_BREAK.sub(join_lines, text))


def change_outside(elements: re.Pattern[str], html: str, change: Callable[[str], str]) -> str:
    """HTML that is changed outside of elements, of which a pattern finds the start; one without an end has the rest.

    >>> change_outside(re.compile("<(code)"), "a <code>b</code> c", str.upper)
    'A <code>b</code> C'
    """
    made, at = [], 0
    while found := elements.search(html, at):
        closing = html.find(end := f"</{found[1]}>", found.end())
        until = closing + len(end) if closing >= 0 else len(html)
        made += [change(html[at:found.start()]), html[found.start():until]]
        at = until
    return "".join([*made, change(html[at:])])


def break_cells(html: str) -> str:
    """Rendered HTML whose long code in the cells of tables may break after a sign, not in the middle of a word.

    Short code has one line (by the look of code without `wbr`, which long code has at its end too), as a cell of few
    letters that is no head. A name or a measure with a hyphen in it, 8-bit or ISO-8859-3, has one too.

    >>> break_cells("<table><td>8-bit key-value caches, UTF-8</td>")
    '<table><td><span class="hx-option">8-bit</span> key-value caches, <span class="hx-option">UTF-8</span></td>'
    """
    def break_cell(cell: re.Match[str]) -> str:
        whole = CODE.sub(break_code, cell[0])
        if "-" in whole:
            parts = TAGS_AND_CODE.split(whole)
            parts[::2] = [HYPHENED.sub(r'<span class="hx-option">\g<0></span>', part) for part in parts[::2]]
            whole = "".join(parts)
        if " " not in whole or whole.startswith("<th") or len(unescape(re.sub(ANY_TAG, "", cell[0])).strip()) > SHORT:
            return whole
        parts = TAGS_AND_CODE.split(whole)
        parts[::2] = [part.replace(" ", "\xa0") for part in parts[::2]]
        return "".join(parts)

    def break_code(code: re.Match[str]) -> str:
        return f"<code>{SIGN.sub('<wbr>', code[1])}<wbr></code>" if len(unescape(code[1])) > SHORT else code[0]

    return CELL.sub(break_cell, html) if "<table" in html else html


def keep_options_whole(html: str) -> str:
    """Rendered HTML whose commands for the shell and code in a sentence do not break within `--option`.

    In a block for the shell the other words with a hyphen do not break either.
    """
    def keep_whole(block: re.Match[str]) -> str:
        whole = SHELL_WORD if block[0].startswith("<div") else OPTION
        return whole.sub(r'<span class="hx-option">\g<0></span>', block[0])

    return COMMAND.sub(keep_whole, html)


def keep_measures_whole(html: str) -> str:
    """Rendered HTML where a number stays with its unit, and a date on its line (by the look of `time`).

    >>> keep_measures_whole("<td>24 GB, 24 GPUs</td><td>2026-11-27</td>")
    '<td>24\\xa0GB, 24 GPUs</td><td><time>2026-11-27</time></td>'
    """
    def keep_whole(found: re.Match[str]) -> str:
        return "\xa0" if found["gap"] else f"<time>{found['date']}</time>" if found["date"] else found[0]

    return change_outside(
        MEASURED, html, lambda text: MEASURE.sub(keep_whole, text) if MAY_MEASURE.search(text) else text)
