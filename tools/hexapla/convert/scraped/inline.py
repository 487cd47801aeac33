"""The inline marks of Markdown text: what a browser shows of it, and which marks stand around which part of that."""

import re
from html import unescape
from typing import NamedTuple

INLINE = re.compile(
    r"""
      (?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)(?P<coded>\{:?[ ]?[.\#][^{}\n]*\})?
    | (?P<gone>!\[[^\[\]]*\]\([^()\s]*(?:\s+"[^"]*")?\)(?:\{[^{}\n]*\})?|<!--.*?-->|\[\^[^\]\s]+\](?!:))
    | \[(?P<link>(?:[^\[\]`]|`[^`]*`|!?\[[^\[\]]*\](?:\([^()]*\))?)+)\]
      (?P<target>\((?:<[^<>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+(?:"[^"]*"|'[^']*'))?\)|\[[^\[\]]*\])
      (?P<linked>\{[^{}\n]*\})?
    | <(?P<tag>[A-Za-z][\w-]*)(?P<attributes>(?:\s[^<>]*)?)>(?P<html>.*?)</(?P=tag)>
    | <(?P<address>[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]*)>
    | (?P<empty></?[A-Za-z][^<>]*>)
    | \*\*(?!\s)(?P<strong>.+?)(?<!\s)\*\* | (?<!\w)__(?!\s)(?P<heavy>.+?)(?<!\s)__(?!\w)
    | \*(?![\s*])(?P<em>.+?)(?<![\s*])\*(?!\*) | (?<!\w)_(?![\s_])(?P<light>.+?)(?<![\s_])_(?!\w)
    | \\(?P<escaped>[!-/:-@\[-`{-~])
    """,
    re.X | re.S,
)
LINK, CODE, EMPHASIS = "link", "code", "emphasis"
DEEPEST = 4  # marks inside one another
# Text outside code that Markdown would take for a mark; what the browser showed is to be shown again.
SPECIAL = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])|`|\*|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|(?<=8)<(?=-)|\[(?=[^\[\]]*\][(\[:])|&(?=#?\w+;)"
    r"|\{(?=[^{}]*\})"
)
FIRST = re.compile(
    r"(?P<before>[ \t]*)(?P<mark>#|[>|]|[+-](?=[ \t])|(?=(?:[-=][ \t]*){3,}$)|\d+(?P<dot>[.)])(?=[ \t])|!!!|\?\?\?|==="
    r"|:::|~~~|:(?=[ \t])|///)"
)


class InlineMark(NamedTuple):
    """What opens and closes before `start` and after `end` of the text that is shown."""

    kind: str
    start: int
    end: int
    opens: str
    closes: str
    target: str = ""


def read_marks(text: str, depth: int = 0, offset: int = 0) -> tuple[str, list[InlineMark]]:
    """What a browser shows of Markdown text, and its marks, the outer before the inner."""
    shown: list[str] = []
    marks: list[InlineMark] = []
    length = position = 0

    def show_text(plain: str) -> None:
        nonlocal length
        shown.append(plain)
        length += len(plain)

    for match in INLINE.finditer(text) if depth < DEEPEST else ():
        show_text(unescape(text[position : match.start()]))
        position = match.end()
        kind, opens, body, closes, target = read_mark(match)
        if kind:
            start = offset + length
            inner, inside = (body, []) if kind is CODE else read_marks(body, depth + 1, start)
            show_text(inner)
            marks += [InlineMark(kind, start, offset + length, opens, closes, target), *inside]
        else:
            show_text(body)
    show_text(unescape(text[position:]))
    return "".join(shown), [mark for mark in marks if mark.end > mark.start]


def read_mark(match: re.Match[str]) -> tuple[str, str, str, str, str]:
    """The kind of a mark, what opens it, what it is around, what closes it, and a link's target."""
    if match["ticks"]:
        code = match["code"]
        bare = code[1:-1] if code[0] == code[-1] == " " and code.strip() else code
        pad = " " if bare != code else ""
        return CODE, match["ticks"] + pad, " ".join(bare.split()), pad + match["ticks"] + (match["coded"] or ""), ""
    if match["link"]:
        target = match["target"][1:-1].partition(" ")[0].strip("<>")
        return LINK, "[", match["link"], f"]{match['target']}{match['linked'] or ''}", target
    if match["tag"]:
        address = re.search(r"\bhref=[\"']([^\"']*)", match["attributes"])
        opens = f"<{match['tag']}{match['attributes']}>"
        return LINK if address else EMPHASIS, opens, match["html"], f"</{match['tag']}>", address[1] if address else ""
    if match["address"]:
        return LINK, "<", match["address"], ">", match["address"]
    for group, mark in (("strong", "**"), ("heavy", "__"), ("em", "*"), ("light", "_")):
        if match[group]:
            return EMPHASIS, mark, match[group], mark, ""
    return "", "", match["escaped"] or "", "", ""


def escape_text(text: str) -> str:
    """Text that Markdown shows as it is."""
    return SPECIAL.sub(lambda match: "&lt;" if match.group() == "<" else "&amp;" if match.group() == "&"
                       else "\\" + match.group(), text)


def escape_first(line: str) -> str:
    """A paragraph's line whose first characters are no mark of a block."""
    match = FIRST.match(line)
    at = (match.start("dot") if match["dot"] else match.start("mark")) if match else -1
    return line if at < 0 else f"{line[:at]}\\{line[at:]}"
