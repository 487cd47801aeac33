"""A page's card, the picture that is shown where its address is shared: what it says, and fonts with its letters.

A card is drawn with fonts of this machine, since a font with Han characters is larger than all of Hexapla. The card of
a page whose letters no font has is not drawn: it would show empty boxes.
"""

import subprocess
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page
from PIL import ImageFont, features

from hexapla.cache import stamp
from hexapla.files import is_own_file
from hexapla.languages import base, is_traditional

FOLDER = "assets/cards"
FAMILIES = "Noto Sans,sans-serif"
# Where no fontconfig is, as on Windows and macOS: files of a bold font and of a regular one, which Pillow looks for.
FILES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "ja": (("YuGothB.ttc", "YuGothR.ttc"), ("ヒラギノ角ゴシック W6.ttc", "ヒラギノ角ゴシック W3.ttc")),
    "zh-cn": (("msyhbd.ttc", "msyh.ttc"), ("STHeiti Medium.ttc", "STHeiti Light.ttc")),
    "zh-tw": (("msjhbd.ttc", "msjh.ttc"), ("STHeiti Medium.ttc", "STHeiti Light.ttc")),
    "ko": (("malgunbd.ttf", "malgun.ttf"), ("AppleSDGothicNeo.ttc", "AppleSDGothicNeo.ttc")),
    "": (("segoeuib.ttf", "segoeui.ttf"), ("Arial Bold.ttf", "Arial.ttf"), ("DejaVuSans-Bold.ttf", "DejaVuSans.ttf")),
}
PICTURES = {"So", "Cf", "Cs", "Co", "Cn"}  # categories of Unicode
NOWHERE = "\U0010ffff"  # no font has it, and each shows it as what it shows for all that it lacks
NEAREST = 8             # fonts that are tried of those that fontconfig names
PROBE = 20              # pixels: the size at which letters are compared


class FontFile(NamedTuple):
    """A font's file, its number in a collection, and what tells that the file was changed."""

    path: str
    number: int
    stamp: str


class Card(NamedTuple):
    """What a card says. `languages` are the names of those that have the page, by code; `icon` is "" without one."""

    title: str
    description: str
    site_name: str
    language: str
    languages: tuple[tuple[str, str], ...]
    icon: str
    icon_stamp: str


class CardFonts(NamedTuple):
    """The fonts of a card's text and of each name of a language that can be written; bold and regular."""

    bold: FontFile
    regular: FontFile
    names: tuple[tuple[str, FontFile, FontFile], ...]


def make_card(page: Page, language: str, languages: Mapping[str, str], site_name: str, icon: tuple[str, str]) -> Card:
    """The card of a page; `languages` are the names of those that have it, `icon` is what `find_icon` gives."""
    title, told = page.meta.get("title") or page.title or site_name, page.meta.get("description") or ""
    return Card(clean_line(str(title)), clean_line(str(told)), clean_line(site_name), language,
                tuple(languages.items()), *icon)


def find_icon(config: MkDocsConfig, root: Path) -> tuple[str, str]:
    """The icon that cards show, and what tells that it was changed; both "" without one."""
    icon = Path(config.docs_dir, str(config.theme.get("touch_icon") or ""))
    known = icon.is_file() and is_own_file(root, str(icon))
    return (str(icon), stamp(str(icon), icon.stat())) if known else ("", "")


@lru_cache
def clean_line(text: str) -> str:
    """A text in one line, without pictures such as emoji, which fonts of text lack, nor what chooses their look.

    >>> clean_line("🚀 Quick  start ⚠️")
    'Quick start'
    """
    kept = (each for each in text if unicodedata.category(each) not in PICTURES and not "\ufe00" <= each <= "\ufe0f")
    return " ".join("".join(kept).split())


def card_path(path: str, language: str) -> str:
    """The address of a page's card from the site's root; `path` is the page's below its language's folder.

    >>> card_path("tools/check.md", "ja")
    'assets/cards/ja/tools/check.png'
    """
    return f"{FOLDER}/{language}/{path.removesuffix('.md')}.png"


@cache
def find_card_fonts(card: Card) -> CardFonts | None:
    """The fonts that a card is drawn with, None where this machine has none with all of its letters."""
    text = f"{card.title}{card.description}{card.site_name}"
    bold, regular = (find_font(card.language, is_bold, text) for is_bold in (True, False))
    if bold is None or regular is None:
        return None
    names = ((code, find_font(code, True, name), find_font(code, False, name)) for code, name in card.languages)
    return CardFonts(bold, regular, tuple((code, one, other) for code, one, other in names if one and other))


@lru_cache
def find_font(language: str, is_bold: bool, text: str) -> FontFile | None:
    """A font of a language that has all letters of a text, and can join them where they are joined."""
    letters = {letter for letter in text if not letter.isspace()}
    if any(map(is_joined, letters)) and not features.check("raqm"):
        return None
    fonts = list_fonts(language, is_bold)
    return next((font for font in fonts if all(has_letter(font, each) for each in letters)), None)


@cache
def is_joined(letter: str) -> bool:
    """Whether a letter changes with those around it: one of a script that runs from the right, or a mark on others."""
    return unicodedata.bidirectional(letter) in {"R", "AL"} or unicodedata.category(letter) in {"Mn", "Mc"}


@cache
def list_fonts(language: str, is_bold: bool) -> tuple[FontFile, ...]:
    """The fonts that this machine has for a language, the one that it would choose first."""
    code = "zh-hk" if language.lower().startswith("zh-hk") else "zh-tw" if is_traditional(language) else \
        "zh-cn" if base(language) == "zh" else language.lower()
    found = []
    with suppress(OSError, subprocess.SubprocessError, ValueError):
        pattern = f"{FAMILIES}:{'bold' if is_bold else 'medium'}:lang={code}"
        command = ["fc-match", "-s", "-f", "%{file}\t%{index}\n", pattern]
        said = subprocess.run(command, capture_output=True, check=True, text=True, timeout=20).stdout
        lines = [line.split("\t") for line in said.splitlines()[:NEAREST]]
        found = [(name, int(number)) for name, number in lines]
    named = (*FILES.get("zh-tw" if code == "zh-hk" else code, FILES.get(base(code), ())), *FILES[""])
    return tuple(filter(None, (open_font(*each) for each in found or [(pair[not is_bold], 0) for pair in named])))


def open_font(name: str, number: int) -> FontFile | None:
    """A font of this machine by its path or the name of its file, None where there is none that can be used."""
    try:
        font = ImageFont.truetype(name, PROBE, number & 0xFFFF)  # fontconfig puts an instance of a variable font above
        return FontFile(str(font.path), number & 0xFFFF, stamp(str(font.path), Path(str(font.path)).stat()))
    except (OSError, ValueError):
        return None


@cache
def load_font(font: FontFile, size: int) -> ImageFont.FreeTypeFont:
    """A font in a size."""
    return ImageFont.truetype(font.path, size, font.number)


@cache
def has_letter(font: FontFile, letter: str) -> bool:
    """Whether a font has a letter."""
    return shape_of(font, letter) != shape_of(font, NOWHERE)


@cache
def shape_of(font: FontFile, letter: str) -> tuple[tuple[int, int], bytes]:
    """How a font draws a letter."""
    mask = load_font(font, PROBE).getmask(letter)
    return mask.size, bytes(mask)
