"""Formulas, `**T = 6·N / F**{ .formula }` alone and `*T*{ .formula }` in a line: text in Markdown, MathML on a site.

The notation is what one would write in a letter, so that Markdown, search and a conversion of characters read it as it
is. Nothing is fetched and no script runs: MathML Core is part of every current browser.
"""

import re
from html import escape, unescape

from hexapla.languages import UNSPACED

FORMULA = re.compile(r'(<(strong|em) class="formula">)([^<]{1,500})(</\2>)')
WORD = r"[^\W\d_]\w*"
TOKEN = re.compile(rf" *(?:(?P<number>\d+(?:[.,]\d+)*)|(?P<name>{WORD}(?: +{WORD})*)|(?P<sign>[=≤≥≈<>+−·×/(),-]))")
INDEXED = re.compile(rf"([A-Za-z])(?: +|(?=[{UNSPACED}]))(.+)")  # `T compute`, `T通信`: a symbol, and what it is of
DEEPEST = 20  # groups in one formula
DISPLAY = {"strong": "block", "em": "inline"}
INVISIBLE_TIMES = "\u2062"  # what is no word needs no dot: 2N
OPERATORS = "<mo>{}</mo>".format
GROUP = "<mrow><mo>(</mo>{}<mo>)</mo></mrow>".format


class NotAFormula(Exception):
    """A text in another notation than ours."""


def typeset_formulas(html: str) -> str:
    """Rendered HTML whose formulas are MathML; one in another notation stays the text that it is."""
    return FORMULA.sub(lambda found: found[1] + typeset_formula(unescape(found[3]), DISPLAY[found[2]]) + found[4], html)


def typeset_formula(text: str, display: str = "block") -> str:
    r"""A formula as MathML, with its text for who cannot read that; escaped text where it is in another notation.

    >>> typeset_formula("a = 8·c / 2")[44:-7]
    '<mi>a</mi><mo>=</mo><mfrac><mrow><mn>8</mn><mo>\u2062</mo><mi>c</mi></mrow><mrow><mn>2</mn></mrow></mfrac>'
    >>> typeset_formula("a :: b")
    'a :: b'
    """
    try:
        if text.count("(") > DEEPEST:
            raise NotAFormula
        tokens = read_tokens(text)
        made = read_sum(tokens, "=≤≥≈<>+−-,")
        if tokens:
            raise NotAFormula
    except NotAFormula:
        return escape(text, quote=False)
    return f'<math display="{display}" alttext="{escape(text)}">{made}</math>'


def read_tokens(text: str) -> list[tuple[str, str]]:
    """The kind and the text of each part of a formula, the last one first, since they are taken from the end."""
    found: list[tuple[str, str]] = []
    end = 0
    while end < len(text.rstrip()):
        token = TOKEN.match(text, end)
        if token is None:
            raise NotAFormula
        found.append((token.lastgroup or "", token[token.lastgroup or 0]))
        end = token.end()
    return found[::-1]


def read_sum(tokens: list[tuple[str, str]], signs: str) -> str:
    """Products with any of these signs between them."""
    made = read_product(tokens)
    while tokens and tokens[-1][1] in signs:
        made += OPERATORS(escape(tokens.pop()[1])) + read_product(tokens)
    return made


def read_product(tokens: list[tuple[str, str]]) -> str:
    """Factors; all that stands before a slash is above the line of a fraction, and the next factor below it."""
    above, bare = read_factor(tokens)
    while tokens and tokens[-1][1] in "·×/":
        sign = tokens.pop()[1]
        factor, inside = read_factor(tokens)
        if sign == "/":
            above = bare = f"<mfrac><mrow>{bare}</mrow><mrow>{inside}</mrow></mfrac>"
        else:
            words = above.endswith("</mtext>") or factor.startswith(("<mtext>", "<mn>"))
            above = bare = above + OPERATORS(sign if words or sign == "×" else INVISIBLE_TIMES) + factor
    return above


def read_factor(tokens: list[tuple[str, str]]) -> tuple[str, str]:
    """A number, a symbol, a function or a group; also without a group's parentheses, which a fraction needs not."""
    kind, text = tokens.pop() if tokens else ("", "")
    if text == "(":
        inside = read_group(tokens)
        return GROUP(inside), inside
    if kind == "number":
        made = f"<mn>{text}</mn>"
    elif kind != "name":
        raise NotAFormula
    elif tokens and tokens[-1][1] == "(":
        tokens.pop()
        made = f"<mi>{text}</mi>{GROUP(read_group(tokens))}"
    elif indexed := INDEXED.fullmatch(text):
        made = f"<msub><mi>{indexed[1]}</mi><mtext>{indexed[2]}</mtext></msub>"
    else:
        made = f"<mi>{text}</mi>" if len(text) == 1 and text.isascii() else f"<mtext>{text}</mtext>"
    return made, made


def read_group(tokens: list[tuple[str, str]]) -> str:
    """What stands between parentheses, the opening one taken."""
    made = read_sum(tokens, "+−-,")
    if not tokens or tokens.pop()[1] != ")":
        raise NotAFormula
    return made
