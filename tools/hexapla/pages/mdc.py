"""MDC, the Markdown of Nuxt Content: a page as Markdown alone, without what names components.

    ::card{to="/start"}            a component, its properties in braces or as YAML, until `::`
    ---
    icon: rocket
    ---
    #title
    Text in a slot, with an :icon{name="star"}, a :badge[New], and a [link](/a){target="_blank"}.
    ::
"""

import re

from hexapla.pages.html_vocabulary import OBJECT
from hexapla.pages.lines import FENCE, closes_longer, front_matter_end, indentation, split_lines
from hexapla.pages.source_markers import MARK

OPENING = re.compile(r"[ \t]*:{2,}[A-Za-z][\w.-]*(?:\[[^\]\n]*\])?(?:\{.*\})?[ \t]*$")
CLOSING = re.compile(r"[ \t]*:{2,}[ \t]*$")
SLOT = re.compile(r"[ \t]*#[A-Za-z][\w-]*(?:\{.*\})?[ \t]*$")
# Inline code, which stays; a component in a line, of which its text stays; properties of what stands before them.
INLINE = re.compile(
    r"(?P<code>(?P<marks>`+)(?!`).{1,2000}?(?<!`)(?P=marks)(?!`))"
    r"|(?<![\w:]):[A-Za-z][\w-]{0,60}(?:\[(?P<text>[^\]\n]{0,500})\](?:\{[^{}\n]{0,500}\})?|\{[^{}\n]{0,500}\})"
    r"|(?<=[\])`*_~])\{[^{}\n]{0,500}\}"
)


def take_components(text: str) -> str:
    r"""The text with empty lines for those of components, and what they hold at the margin.

    >>> take_components("::card\n---\na: b\n---\n#title\n:icon{name=x} A :badge[new]\n::\nB\n")
    '\n\n\n\n\n\ufffc A new\n\nB\n'
    """
    lines = split_lines(text)
    made: list[str] = lines[: front_matter_end(lines)]
    opened: list[int] = []
    fence, properties, before = "", False, False
    for line in lines[len(made) :]:
        bare = MARK.sub("", line).rstrip("\r\n")
        mark = FENCE.match(bare)
        kept, was_opening, before = True, before, False
        if fence:
            fence = "" if closes_longer(fence, bare) else fence
        elif properties:
            kept, properties = False, bare.strip() != "---"
        elif mark:
            fence = mark["marks"]
        elif was_opening and bare.strip() == "---":
            kept, properties = False, True
        elif OPENING.match(bare):
            kept, before = False, True
            opened.append(indentation(bare))
        elif opened and (CLOSING.match(bare) or SLOT.match(bare)):
            kept = False
            if CLOSING.match(bare):
                opened.pop()
        else:
            line = INLINE.sub(replace_inline, line)
        margin = min(opened[-1] if opened else 0, indentation(line))
        made.append(line[margin:] if kept else "\n")
    return "".join(made)


def replace_inline(match: re.Match[str]) -> str:
    """What a reader sees of inline code, of a component in a line, of properties."""
    if match["code"]:
        return match["code"]
    return match["text"] if match["text"] is not None else OBJECT if match[0].startswith(":") else ""
