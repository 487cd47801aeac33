"""The card of a page: what is shown where its address is shared."""

import io
import os
import shutil
from types import SimpleNamespace

import pytest
from hexapla.site.build import builder
from hexapla.site.build.card_drawing import LINE, NOT_FIRST, SIZES, draw_card, fit_title
from hexapla.site.page.card_contents import Card, find_card_fonts, find_font
from PIL import Image
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from tests.cases import cases
from tests.site.project import CARDS, CONFIG, build, lay

LONG = "A title of two hundred letters " * 7
PAGES = {
    "docs/en/a.md": f"---\ndescription: What it does.\n---\n\n# {LONG} {{#a}}\n\nText.\n",
    "docs/zh/a.md": "# 甲 {#a}\n\n字。\n",
    "docs/en/only.md": "---\ntitle: Only 🚀 in English\n---\n\n# Only {#only}\n\nText.\n",
}
NAMES = (("en", "English"), ("zh", "简体中文"), ("ja", "日本語"))


def image_of(site, page):
    """The address of the card that a page names, "" for none."""
    found = HTMLParser(site.page(page)).css_first('meta[property="og:image"]')
    return found.attributes["content"] if found else ""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    built = build(lay(tmp_path_factory.mktemp("cards"), PAGES | {"mkdocs.yml": CARDS}))
    assert built.status == 0, built.said
    return built


@pytest.mark.parametrize(("page", "language", "text"), [
    ("a", "en", "A"), ("zh/a", "zh", "甲"), ("zh-Hant/a", "zh-Hant", "甲"), ("zh/only", "en", "Only"),
])
def test_a_page_names_its_card_where_this_machine_has_its_letters(site, page, language, text):
    folder, _, name = page.rpartition("/")
    path = f"assets/cards/{folder or 'en'}/{name}.png"
    if not find_font(language, True, text):
        assert not image_of(site, f"{page}/index.html") and not (site.site / path).exists()
        return
    assert image_of(site, f"{page}/index.html") == f"https://demo.example/{path}"
    assert HTMLParser(site.page(f"{page}/index.html")).css_first('meta[name="twitter:card"]').attributes["content"] == \
        "summary_large_image"
    with Image.open(site.site / path) as card:
        assert card.size == (1200, 630) and card.format == "PNG"
    assert (site.site / path).stat().st_size < 60_000


@pytest.mark.parametrize("config", [CONFIG, CARDS.replace("site_url: https://demo.example/\n", "")],
                         ids=["not wanted", "no address"])
def test_no_card_is_drawn_where_it_is_not_wanted_or_has_no_address(tmp_path, config):
    built = build(lay(tmp_path, {"mkdocs.yml": config}))
    assert built.status == 0, built.said
    assert not image_of(built, "index.html") and not (built.site / "assets/cards").exists()


def test_without_a_font_there_is_no_card_and_this_is_said_once_a_language(tmp_path, monkeypatch):
    for name in ("PATH", "HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS"):
        monkeypatch.setenv(name, str(tmp_path / "nothing"))
    built = build(lay(tmp_path, PAGES | {"mkdocs.yml": CARDS}))
    assert built.status == 0, built.said
    assert built.said.count("no font of this machine has its letters; install one for zh, or set") == 1
    assert not any("card" in line for line in built.said.split("\n") if line.startswith("WARNING"))
    assert not image_of(built, "zh/a/index.html") and not (built.site / "assets/cards").exists()


def test_a_font_is_not_taken_for_letters_that_it_lacks():
    assert find_font("en", True, "Text")
    assert not find_font("en", True, "Text \U00016ff1\U0001b170\U000e0fff")


def drawn(card):
    fonts = find_card_fonts(card)
    return fonts and draw_card(card, fonts)


def test_a_card_shows_each_thing_that_it_says():
    known = drawn(Card("Title", "Told.", "Site", "en", NAMES, "", ""))
    others = {"title": "Other", "description": "Else.", "site_name": "Demo", "language": "zh", "languages": NAMES[:1]}
    for name, value in others.items():
        card = Card("Title", "Told.", "Site", "en", NAMES, "", "")._replace(**{name: value})
        assert drawn(card) != known, name
    long = drawn(Card(LONG, LONG * 9, LONG, "en", NAMES * 9, os.devnull, ""))
    assert len(long) < 60_000 and Image.open(io.BytesIO(long)).size == (1200, 630)


@pytest.mark.parametrize("case", cases("site/cards"))
def test_a_title_is_broken_as_its_language_is_written(case):
    file = find_font(case["language"], True, case["text"])
    if file is None:
        return
    font, lines = fit_title(case["text"], file, case["language"])
    assert 1 < len(lines) <= SIZES[-1][1]
    assert all(font.getlength(line) <= LINE for line in lines)
    assert not any(line[0] in NOT_FIRST for line in lines)
    assert all(any(word in line for line in lines) for word in case["whole"])
    shown = "".join(lines).replace(" ", "")
    assert shown.endswith("…") if case.get("cut") else shown == case["text"].replace(" ", "")
    if not case.get("cut"):
        assert min(map(font.getlength, lines)) > 0.4 * max(map(font.getlength, lines))


def test_a_card_is_drawn_again_when_what_it_says_has_changed(tmp_path, monkeypatch):
    sources = SimpleNamespace(project=SimpleNamespace(root=tmp_path))
    state = SimpleNamespace(sources=sources, folder=tmp_path / "new", site=tmp_path / "site")
    calls = []
    monkeypatch.setattr(builder, "FORKS", False)
    monkeypatch.setattr(builder, "draw_card", lambda card, fonts: calls.append(card.title) or b"drawn")
    for title in ("One", "One", "Two"):
        builder.write_cards(state, {"cards/a.png": Card(title, "", "", "en", (), "", "")},
                            builder.taken_files(state))
        assert (state.folder / "cards/a.png").read_bytes() == b"drawn"
        shutil.rmtree(state.site, ignore_errors=True)
        state.folder.rename(state.site)
    assert calls == ["One", "Two"]
