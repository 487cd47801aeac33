"""Which image a reader of each language gets where a page links the source's."""

import pytest
from hexapla.site.page.localized_images import ImageSize, image_size, localize_images

SIZE = ImageSize(612, 288)
NAMES = dict.fromkeys(["plot-en-light.svg", "plot-zh-hant-light.svg", "plot-ja-light.svg"], SIZE)
PAGE = '<p><img alt="-en-" src="../assets/{}#only-light"> <a href="plot-en-light.svg">plot-en-light.svg</a></p>'
SIZED = PAGE.replace("<img", '<img width="612" height="288" loading="lazy"')


@pytest.mark.parametrize(("language", "name"), [
    ("en", "plot-en-light.svg"),
    ("ja", "plot-ja-light.svg"),
    ("zh-Hant", "plot-zh-hant-light.svg"),
    ("zh", "plot-en-light.svg"),
])
def test_a_picture_is_the_readers_where_there_is_one_and_links_stay(language, name):
    assert localize_images(PAGE.format("plot-en-light.svg"), NAMES.get, "en", language) == SIZED.format(name)


def test_a_narrow_picture_is_for_narrow_screens_in_the_readers_language():
    names = NAMES | {"plot-ja-light-narrow.svg": ImageSize(270, 300)}
    html = localize_images(PAGE.format("plot-en-light.svg"), names.get, "en", "ja")
    assert '<picture><source media="(max-width: 44.9844em)" srcset="../assets/plot-ja-light-narrow.svg" ' in html
    assert 'width="270" height="300"><img width="612"' in html


@pytest.mark.parametrize("tag", ['<img src="https://other.example/a.png">', '<img alt="" src="a.png#x" width="3">'])
def test_what_is_not_known_stays_as_it_is(tag):
    assert localize_images(tag, NAMES.get, "en", "ja") == tag


@pytest.mark.parametrize(("content", "size"), [
    (b'<?xml version="1.0"?><svg width="612pt" height="288pt" viewBox="0 0 612 288">', (816, 384)),
    (b'<svg viewBox="0 0 24 12.4" xmlns="">', (24, 12)),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\0\x10", (256, 16)),
    (b"<svg>", (0, 0)),
])
def test_the_size_of_an_image_is_read_from_its_first_bytes(content, size, tmp_path):
    (tmp_path / "image").write_bytes(content)
    assert image_size(tmp_path / "image") == size
