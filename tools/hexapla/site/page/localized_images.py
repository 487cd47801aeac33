"""Images in the reader's language, for the width of the screen, and loaded when they are seen.

Pages link the source's, such as `memory-en-light.svg`. `memory-en-light-narrow.svg` beside it is for narrow screens.
"""

import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import NamedTuple

IMAGE = re.compile(r'<img\b[^<>]*?\bsrc="(?P<folder>[^"]*?)(?P<name>[^"/#]+)(?P<rest>#[^"]*)?"[^<>]*?>')
SVG_SIZE = re.compile(r'<svg\b[^>]*?\bviewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"')
POINTS = re.compile(r'<svg\b[^>]*?\bwidth="[\d.]+pt"')
PNG = b"\x89PNG\r\n\x1a\n"
PHONE = "(max-width: 44.9844em)"  # the theme's own width


class ImageSize(NamedTuple):
    """The width and the height of an image in pixels, 0 where the file does not say."""

    width: int
    height: int


def image_size(file: Path) -> ImageSize:
    """The size that an SVG or a PNG has by its first bytes."""
    with file.open("rb") as opened:
        head = opened.read(2000)
    if head.startswith(PNG):
        return ImageSize(int.from_bytes(head[16:20]), int.from_bytes(head[20:24]))
    text = head.decode("utf-8", "replace")
    found = SVG_SIZE.search(text)
    pixels = 4 / 3 if POINTS.search(text) else 1
    return ImageSize(*(round(float(each) * pixels) for each in found.groups())) if found else ImageSize(0, 0)


def localize_images(html: str, image: Callable[[str], ImageSize | None], source: str, language: str) -> str:
    """Rendered HTML whose images `...-{source}-...` are `...-{language}-...`, in lower case, where that exists.

    `image` gives the size of an image of the site, None where there is none. Images have their size, so that nothing
    moves when they come. One of a single colour scheme is loaded when it is shown.
    """

    def localize_image(match: re.Match[str]) -> str:
        name = match["name"].replace(f"-{source}-", f"-{language.lower()}-", 1)
        name = name if name != match["name"] and image(name) else match["name"]
        tag = match[0].replace(match["name"], name, 1)
        if (match["rest"] or "").startswith("#only-") and " loading=" not in tag:
            tag = tag.replace("<img", '<img loading="lazy"', 1)
        tag = tag.replace("<img", f"<img{size_of(image(name))}", 1) if " width=" not in tag else tag
        stem, dot, suffix = name.rpartition(".")
        if size := image(narrow := f"{stem}-narrow{dot}{suffix}"):
            address = escape(f"{match['folder']}{narrow}", quote=True)
            return f'<picture><source media="{PHONE}" srcset="{address}"{size_of(size)}>{tag}</picture>'
        return tag

    return IMAGE.sub(localize_image, html)


def size_of(size: ImageSize | None) -> str:
    """The attributes that give the size of an image, "" where it is not known."""
    return f' width="{size.width}" height="{size.height}"' if size and size.width and size.height else ""
