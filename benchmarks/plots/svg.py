"""The parts of a picture that is no plot: text, boxes, cells, a key; the same bytes every time."""

from html import escape

from benchmarks.plots.draw import COLOURS, FONTS, INK, Look

BLUE, ORANGE, GREEN, PINK, SKY = COLOURS
NOTHING = "none"
LINE = 18  # pixels from a line of a key to the next


def text(x: float, y: float, said: str, size: float, more: str = "") -> str:
    """A line of text."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" {more}>{escape(said)}</text>'


def box(x: float, y: float, width: float, height: float, fill: str = NOTHING, opacity: float = 1) -> str:
    """A box in a colour; an outline without one."""
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2"'
    if fill == NOTHING:
        return f'<rect {place} fill="none" stroke="currentColor" stroke-opacity="0.35"/>'
    return f'<rect {place} fill="{fill}"' + (f' fill-opacity="{opacity:g}"' if opacity < 1 else "") + "/>"


def cell(x: float, y: float, width: float, height: float, said: str, size: float, fill: str = NOTHING) -> str:
    """A box with a word in its middle, in the ink that its colour takes."""
    ink = {NOTHING: "currentColor", BLUE: "#ffffff"}.get(fill, "#000000")
    middle = text(x + width / 2, y + height / 2 + size * 0.36, said, size, f'text-anchor="middle" fill="{ink}"')
    return box(x + 1, y + 1, width - 2, height - 2, fill) + (middle if said else "")


def key(
    entries: list[tuple[str, str, float]], x: float, y: float, columns: int, width: float, size: float
) -> list[str]:
    """What the colours mean: a swatch, with its opacity, and a word for each, so many beside each other."""
    parts = []
    for number, (said, fill, opacity) in enumerate(entries):
        left, top = x + number % columns * width, y + number // columns * LINE
        parts += [box(left, top, 18, 12, fill, opacity), text(left + 24, top + 10, said, size)]
    return parts


def document(parts: list[str], width: float, height: float, title: str, look: Look) -> str:
    """The picture: transparent, in generic fonts, with a name for those who hear it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="{FONTS[look.language]}" fill="{INK[look.scheme]}" '
        f'color="{INK[look.scheme]}">\n<title>{escape(title)}</title>\n' + "\n".join(parts) + "\n</svg>\n"
    )
