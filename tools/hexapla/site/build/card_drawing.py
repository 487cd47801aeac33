"""Draws the cards of pages: one template for all of them."""

import io
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial

from PIL import Image, ImageDraw, ImageFont

from hexapla.languages import base
from hexapla.site.page.card_contents import Card, CardFonts, FontFile, load_font

WIDTH, HEIGHT, MARGIN = 1200, 630, 80
LINE = WIDTH - 2 * MARGIN
PAPER, DARK = (0xff, 0xff, 0xff), (0x1a, 0x1c, 0x23)
# Numbers of a palette: a text's edges have the shades between the paper's 0 and its own, so faint is one of those. With
# 16 colours a card takes 3 ms; drawn in all of them and quantized, it took 14.
INK, FAINT, ACCENT = 14, 10, 15
PALETTE = [*(round(paper + (ink - paper) * shade / INK) for shade in range(INK + 1)
             for paper, ink in zip(PAPER, DARK, strict=True)), 0x3a, 0x4f, 0xc4]
SIZES = ((72, 2), (60, 3), (50, 4))  # of a title: pixels, and lines at most
TOLD, SMALL, ICON = 32, 28, 64       # pixels: the description, the names, the icon
ICONS = ("PNG", "JPEG", "WEBP")       # other formats may start a program
COLOURS = 64                          # of the icon
# A line breaks after a word, and around a Han character or kana: none begins or ends with one of these. Japanese does
# not break inside a word of kanji or katakana, nor before the hiragana that belong to it.
NOT_FIRST, NOT_LAST = "、。，．・：；？！）」』】》〉…ー～％ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々", "（「『【《〈"
HAN = "[\u2e80-\ua4cf\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
WORD = "(?:[々〇\u4e00-\u9fff]+|[\u30a0-\u30ff]+|[!-~]+)[ぁ-ん]+|[々〇\u4e00-\u9fff]+|[\u30a0-\u30ff]+|"
UNITS = {
    code: re.compile(rf"[{NOT_LAST}]*(?:{word}{HAN}|(?:(?!{HAN})\S)+)[{NOT_FIRST}]*\s*")
    for code, word in (("ja", WORD), ("", ""))
}

Font = ImageFont.FreeTypeFont


def draw_card(card: Card, fonts: CardFonts) -> bytes:
    """A card as PNG: the site, the page's title and description, and the languages that have it."""
    from_right = any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in card.title)
    image = draw_frame(card._replace(title="", description=""), fonts, from_right).copy()
    write = partial(write_line, begin_drawing(image), from_right=from_right)
    font, lines = fit_title(card.title, fonts.bold, card.language)
    top = 200
    for line in lines:
        write(line, font, MARGIN, top, INK)
        top += round(font.size * 1.25)
    told, room = load_font(fonts.regular, TOLD), (HEIGHT - MARGIN - SMALL - 30 - top) // 45
    for line in wrap_text(card.description, told, card.language, min(3, room)):
        write(line, told, MARGIN, top + 20, FAINT)
        top += 45
    file = io.BytesIO()
    image.save(file, "PNG", compress_type=zlib.Z_RLE)  # flat colours: in three quarters of the time
    return file.getvalue()


@lru_cache(maxsize=64)
def draw_frame(card: Card, fonts: CardFonts, from_right: bool) -> Image.Image:
    """What a card without a title and a description shows, which most cards of a language share."""
    image = Image.new("P", (WIDTH, HEIGHT))
    image.putpalette(PALETTE)
    drawing = begin_drawing(image)
    drawing.rectangle((0, 0, WIDTH, 14), ACCENT)
    at = MARGIN
    with suppress(OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        paste_icon(image, card.icon, WIDTH - MARGIN - ICON if from_right else MARGIN)
        at += ICON + 20
    write_line(drawing, card.site_name, load_font(fonts.bold, SMALL), at, MARGIN + 22, FAINT, from_right)
    write_languages(drawing, card, fonts)
    return image


def begin_drawing(image: Image.Image) -> ImageDraw.ImageDraw:
    """What draws on an image."""
    drawing = ImageDraw.Draw(image)
    drawing.fontmode = "L"  # smooth edges, which Pillow does not expect of a palette
    return drawing


def paste_icon(image: Image.Image, path: str, left: int) -> None:
    """Paste the icon, with colours of its own behind the card's. Raises what Pillow raises for a file that is none."""
    icon = Image.open(path, formats=ICONS).convert("RGBA").resize((ICON, ICON))
    shown = Image.alpha_composite(Image.new("RGBA", icon.size, PAPER), icon).convert("RGB")
    shown = shown.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    image.putpalette([*PALETTE, *(shown.getpalette() or ())[:3 * COLOURS]])
    numbers = shown.point(lambda number: number + len(PALETTE) // 3)
    image.paste(numbers, (left, MARGIN - 10))


def write_line(
    drawing: ImageDraw.ImageDraw, text: str, font: Font, at: float, middle: float, shade: int, from_right: bool = False
) -> None:
    """Write a line at a distance from the edge where its language begins; `middle` is its height."""
    drawing.text((WIDTH - at if from_right else at, middle), text, shade, font, "rm" if from_right else "lm")


def write_languages(drawing: ImageDraw.ImageDraw, card: Card, fonts: CardFonts) -> None:
    """The names of the languages in a row at the foot, the card's own marked; those that have no room are left out."""
    names, at = dict(card.languages), float(MARGIN)
    for code, bold, regular in fonts.names:
        font = load_font(bold if code == card.language else regular, SMALL)
        end = at + font.getlength(names[code])
        if end > WIDTH - MARGIN:
            break
        write_line(drawing, names[code], font, at, HEIGHT - MARGIN, INK if code == card.language else FAINT)
        if code == card.language:
            drawing.rectangle((at, HEIGHT - MARGIN + 26, end, HEIGHT - MARGIN + 29), ACCENT)
        at = end + 40


def fit_title(title: str, file: FontFile, language: str) -> tuple[Font, Sequence[str]]:
    """The largest font in which a title has room, and its lines; they are cut where no font is small enough."""
    for size, most in SIZES:
        font = load_font(file, size)
        lines = wrap_text(title, font, language, most)
        if "".join(lines).replace(" ", "") == title.replace(" ", ""):
            break
    return font, lines


def wrap_text(text: str, font: Font, language: str, most: int) -> Sequence[str]:
    """The lines of a text, as few as there can be and of like length; of more than `most` the first."""
    units = [(unit, font.getlength(unit), font.getlength(unit.rstrip())) for unit in units_of(text, font, language)]
    lines, least = break_lines(units, LINE), max((shown for *_, shown in units), default=0)
    if len(lines) > most:
        return cut_lines(lines, most, font)
    narrower = (break_lines(units, width) for width in range(max(LINE // 2, round(least)), LINE, 40))
    return next((each for each in narrower if len(each) == len(lines)), lines)


def units_of(text: str, font: Font, language: str) -> Iterator[str]:
    """The parts that no line breaks in: words and characters, each mark with what it belongs to."""
    for unit in UNITS.get(base(language), UNITS[""]).findall(text):
        yield from [unit] if font.getlength(unit) <= LINE else unit


def break_lines(units: Iterable[tuple[str, float, float]], width: int) -> list[str]:
    """Lines no wider than so many pixels, of units with their widths, with and without the space at the end."""
    lines, at = [""], 0.0
    for unit, whole, shown in units:
        if at + shown > width and at:
            lines.append("")
            at = 0.0
        lines[-1] += unit
        at += whole
    return [line.rstrip() for line in lines if line.strip()]


def cut_lines(lines: Sequence[str], most: int, font: Font) -> Sequence[str]:
    """The first lines, the last of them with three dots."""
    if most < 1:
        return ()
    last = lines[most - 1]
    while last and font.getlength(f"{last}…") > LINE:
        last = last[:-1]
    return [*lines[:most - 1], f"{last.rstrip('、。，. ')}…"]
