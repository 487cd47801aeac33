"""Inline, what is no prose: code, targets of links, HTML, comments, addresses, attribute lists, footnotes.

An expression that looks for what closes a piece of code or a comment searches all the rest for each one that nothing
closes, which takes the square of a page's length. So an expression has only what opens them, in groups of these names,
and the ends are looked up: `ticks` for a run of backticks, `comment` for `<!--`.
"""

import re
from collections.abc import Callable, Iterator, Mapping

# In the order they are tried at a position; each alternative is one thing.
VERBATIM = re.compile(
    r"""
      (?P<ticks>`+)                                          # inline code
    | \]\(\s*<[^<>\n]*>                                      # ](<target>
    | \]\([^()\s"]*(?:\([^()\s]*\)[^()\s"]*)*                # ](target, one level of brackets inside
    | \]\[[^\[\]\n]*\]                                       # ][label]
    | ^[ \t]*\[[^\[\]\n]+\]:.*?$                             # [label]: target
    | (?P<comment><!--)
    | </?[A-Za-z][^<>]*>                                     # HTML tag
    | <[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]*>                     # <https://...>
    | https?://[-\w.~:/?\#\[\]@!$&'*+,;=%]+                  # bare address
    | \{:?[ \t]*[#.][^{}\n]*\}                               # {#id .class}
    | \[\^[^\[\]\s]+\]                                       # [^footnote]
    """,
    re.X | re.M | re.S | re.A,
)
TICKS = re.compile("`+")
ANYTHING = re.compile(r".*", re.S)
Change = Callable[[re.Match[str]], str]


def find_verbatim(text: str, pattern: re.Pattern[str] = VERBATIM) -> Iterator[re.Match[str]]:
    """What `pattern.finditer` finds, where `ticks` and `comment` stand for code and comments up to their end.

    The match of one of these is ANYTHING's. Of a run of backticks that nothing closes, the last may begin a match.

    >>> [match.group() for match in find_verbatim("``a` `b ```c` <!-- d")]
    ['`a`', '`b ```c`']
    """
    ends = code_ends(text) if "`" in text else {}
    closed, position = text.rfind("-->"), 0
    while match := pattern.search(text, position):
        start, position = match.span()
        if match.lastgroup == "ticks":
            opening = next((at for at in range(start, position) if at in ends), position)
            if start < position - 1 <= opening:
                position -= 1
                continue
            start, end = opening, ends.get(opening, 0)
        elif match.lastgroup == "comment":
            end = text.find("-->", position) + 3 if position <= closed else 0
        else:
            yield match
            continue
        if end and (whole := ANYTHING.match(text, start, end)):
            yield whole
            position = end


def code_ends(text: str) -> Mapping[int, int]:
    """Where the inline code of a text would start and end: a run of backticks is closed by the next of its length.

    A run that no other follows opens code with as many of its last ones as can be.
    """
    following: dict[int, int] = {}  # the end of the next run of each length
    found: dict[int, int] = {}
    for run in reversed([*TICKS.finditer(text)]):
        start, end = run.span()
        if length := next((length for length in range(end - start, 0, -1) if length in following), 0):
            found[end - length] = following[length]
        following[end - start] = end
    return found


def replace_verbatim(change: Change, text: str, pattern: re.Pattern[str] = VERBATIM) -> str:
    """`text` with what `find_verbatim` finds replaced."""
    made, position = [], 0
    for match in find_verbatim(text, pattern):
        made += [text[position : match.start()], change(match)]
        position = match.end()
    return "".join([*made, text[position:]])
