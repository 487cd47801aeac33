"""MDX as a reader sees it: a page is rendered as CommonMark in which each tag stands for an element of HTML.

A tag becomes a placeholder before the Markdown around it is rendered, and an element afterwards, so that no rule of
CommonMark for HTML applies: a line of tags is a block of its own, and what is between two of them is Markdown.
"""

import re
from collections.abc import Callable
from html import escape
from operator import attrgetter

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from hexapla.pages.html_vocabulary import OBJECT
from hexapla.pages.lines import split_lines
from hexapla.pages.mdx_syntax import LITERAL, SHOWN, Mdx, MdxPiece, read_mdx
from hexapla.pages.model import Block, Link, Page
from hexapla.pages.source_markers import Positions

# Around the number of a tag: Aegean word separators, as marks of bold text end at punctuation and a tag begins with it.
BEGIN, END = "\U00010100", "\U00010101"
PLACEHOLDER = re.compile(f"{BEGIN}([0-9]+){END}")
NOTHING_ELSE = re.compile(f"(?:[ \t]*{BEGIN}[0-9]+{END})+[ \t]*$")
OURS = re.compile(f"[{BEGIN}{END}]")
HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]")
COMMENTED_ID = re.compile(r"\{/\*[ \t]*#?([^\s*{}]+)[ \t]*\*/\}")
MARKUP, BACKSLASHED = re.compile("[_*~]"), r"\\\g<0>"
INDENTATION = re.compile(r"(?: {4,}| *\t)[ \t]*")
LONG = 1_000  # characters of a line that is looked at for a heading
TARGETS = ("href", "to")
KEPT = {"alt", "id", "name", "src", "title"}  # of a tag's attributes; those with an expression are none
ELEMENT = re.compile(r"[a-z][a-z0-9]*$")


def take_tag_lines(library: MarkdownIt) -> None:
    """Let a line of tags and expressions alone be a block that ends a paragraph; turn off what MDX does without."""
    library.disable(["autolink", "code", "html_block", "html_inline"])
    library.block.ruler.before("paragraph", "tags", tag_line, {"alt": ["paragraph", "reference", "blockquote", "list"]})


def tag_line(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """The rule of the library for such a line."""
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    if not NOTHING_ELSE.match(text):
        return False
    if not silent:
        state.push("html_block", "", 0).content = f"{text}\n"
        state.line = line + 1
    return True


def render_mdx(text: str, render: Callable[[str], str]) -> str:
    """The HTML of a page of MDX without its front matter, by a renderer of Markdown that takes lines of tags."""
    text = OURS.sub("\ufffd", text)
    made, elements, position = [], list[str](), 0
    opened: list[str] = []
    for piece in read_mdx(text, tuple(split_lines(text))).pieces:
        made.append(text[position : piece.start])
        position = piece.end
        if piece.kind == "fence" or piece.alone:  # the library sees no block in an indented line below a paragraph
            start = text.rfind("\n", max(0, piece.start - LONG), piece.start) + 1 if piece.alone else piece.start
            indentation = INDENTATION.match(text, start)
            if indentation and indentation.end() >= piece.start:
                made += ["\n", text[start : piece.start]]
        if piece.kind == "fence":
            made.append(text[piece.start : piece.end])
            continue
        if piece.kind == "tag":
            elements.append(html_element(text, piece, opened))
        elif piece.kind == "expression":
            literal = LITERAL.fullmatch(text, piece.start, piece.end)
            elements.append(escape(literal[literal.lastindex or 0]) if literal else OBJECT)
        elif named := heading_id(text, piece):
            made.append(named)
            continue
        elif piece.kind == "comment" and not piece.alone:  # `**{}**` is bold, and nothing is
            elements.append("")
        else:
            continue
        made.append(f"{BEGIN}{len(elements) - 1}{END}")
    html = render("".join([*made, text[position:]]))
    return PLACEHOLDER.sub(lambda match: elements[int(match[1])] if int(match[1]) < len(elements) else "", html)


def heading_id(text: str, piece: MdxPiece) -> str:
    """`{#usage}` for a comment that is the id of a heading, as React's documentation has them: `{/*usage*/}`."""
    start = text.rfind("\n", max(0, piece.start - LONG), piece.start) + 1
    last = HEADING.match(text[start : piece.start]) and not text[piece.end : piece.end + 1].strip(" \t\r\n")
    named = COMMENTED_ID.fullmatch(text, piece.start, piece.end) if last else None
    return f"{{#{MARKUP.sub(BACKSLASHED, named[1])}}}" if named else ""


def html_element(text: str, piece: MdxPiece, opened: list[str]) -> str:
    """The tag of HTML that stands for one of MDX; `opened` has the ends of the elements that are open."""
    if piece.closing:
        return opened.pop() if opened else ""
    values = {name: text[start:end] for name, (start, end) in piece.attributes}
    target = next((values[name] for name in TARGETS if name in values and is_target(values[name], piece)), None)
    space = " " if piece.name == "div" and not piece.alone else ""  # a block in a paragraph, which HTML would end
    name = piece.name if ELEMENT.match(piece.name) and not space else "div" if piece.alone else "span"
    name = "a" if target is not None and not piece.alone else name
    kept = {each: value for each, value in values.items() if each == "id" or (name in {"a", "img"} and each in KEPT)}
    if target is not None and name == "a":
        kept["href"] = target
    quoted = {each: value.replace('"', "&quot;") for each, value in kept.items()}
    start = space + " ".join([f"<{name}", *(f'{each}="{value}"' for each, value in quoted.items())]) + ">"
    if piece.empty:
        return start if name in {"br", "hr", "img", "input"} else f"{start}</{name}>"
    opened.append(f"</{name}>{space}")
    return start


def is_target(value: str, piece: MdxPiece) -> bool:
    """Whether an attribute is the target of a link; a component may put anything before a path that starts with a name.
    """
    return ELEMENT.match(piece.name) is not None or value.startswith(("/", ".", "#")) or "://" in value


def add_attributes(page: Page, mdx: Mdx, positions: Positions) -> Page:
    """The page with what its tags show by attributes: texts, and the targets of tags that stand alone in a line."""
    blocks, links = list[Block](), list[Link]()
    for piece in mdx.pieces:
        values = {name: " ".join(page.text[start:end].split()) for name, (start, end) in piece.attributes}
        for name, (start, end) in piece.attributes:
            line, column = positions.at(start)
            written = page.text[start:end]
            if name in SHOWN and piece.name != "img" and written.strip():
                blocks.append(Block("attribute", " ".join(written.split()), line, column))
            elif name in TARGETS and piece.alone and piece.name != "a" and is_target(written, piece):
                text = values.get("title", values.get("label", ""))
                links.append(Link(written, text, False, line, column, start, written))
    place = attrgetter("line", "column")
    if blocks:
        page = page._replace(blocks=tuple(sorted([*page.blocks, *blocks], key=place)))
    return page._replace(links=tuple(sorted([*page.links, *links], key=place))) if links else page
