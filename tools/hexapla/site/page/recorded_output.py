"""What a program printed as a page shows it: text, and the pictures (SVG, PNG) and tables (Markdown) in it."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from html import escape

from hexapla.examples.evidence import PNG

PICTURE = re.compile(r"^(?:<\?xml[^\n]*\?>\s*)?(?:<!DOCTYPE[^>\[]{0,300}>\s*)?(?P<svg><svg\b)", re.M)
END = "</svg>"
TABLE = re.compile(r"^\|.*\|\n\|(?:[ :]*-+[ :]*\|)+(?:\n\|.*\|)+$", re.M)
CELLS = re.compile(r"(?<!\\)\|")


def show_output(output: str, words: str) -> str:
    """The HTML of an output; `words` say what a picture in it is.

    A picture is one that the browser loads as an image, in which nothing runs and which loads nothing else.
    """
    return "".join(SHOWN[kind](text, words) for kind, text in split_output(output))


def split_output(output: str) -> Iterator[tuple[str, str]]:
    """The pictures, tables and texts of an output, each with its kind; nothing for empty lines.

    >>> list(split_output("three\\n<svg></svg>"))
    [('text', 'three'), ('picture', '<svg></svg>')]
    """
    position = 0
    while match := PICTURE.search(output, position):
        end = output.find(END, match.end()) + len(END)
        if end < len(END):
            break
        yield from split_tables(output[position : match.start()])
        yield "picture", output[match.start("svg") : end]
        position = end
    yield from split_tables(output[position:])


def split_tables(output: str) -> Iterator[tuple[str, str]]:
    """The tables, the PNGs, which are lines, and the texts of an output without SVG."""
    position = 0
    for match in [*sorted([*TABLE.finditer(output), *PNG.finditer(output)], key=lambda each: each.start()), None]:
        if text := output[position : match.start() if match else None].strip("\n"):
            yield "text", text
        if match:
            yield "png" if match.re is PNG else "table", match[0]
            position = match.end()


def show_picture(svg: str, words: str) -> str:
    """A picture as an image of its own, which browsers draw where its namespace is named."""
    if "xmlns=" not in svg.partition(">")[0]:
        svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return f'<img src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}" alt="{escape(words)}">'


def show_table(text: str, words: str) -> str:
    """A table of Markdown; its cells are text."""
    head, _, *rows = ([cell.strip().replace("\\|", "|") for cell in CELLS.split(line)[1:-1]]
                      for line in text.split("\n"))
    titles = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table lang="en"><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>'


SHOWN: Mapping[str, Callable[[str, str], str]] = {
    "picture": show_picture,
    "png": lambda address, words: f'<img src="{address}" alt="{escape(words)}">',
    "table": show_table,
    "text": lambda text, words: f'<pre tabindex="0"><samp lang="en">{escape(text)}</samp></pre>',
}
