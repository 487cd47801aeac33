"""Which image a reader of each language gets where a page links the source's."""

import pytest
from hexapla.site.localized_images import localize_images

NAMES = {"plot-en-light.svg", "plot-zh-hant-light.svg", "plot-ja-light.svg"}
PAGE = '<p><img alt="-en-" src="../assets/{}#only-light"> <a href="plot-en-light.svg">plot-en-light.svg</a></p>'


@pytest.mark.parametrize(("language", "name"), [
    ("en", "plot-en-light.svg"),
    ("ja", "plot-ja-light.svg"),
    ("zh-Hant", "plot-zh-hant-light.svg"),
    ("zh", "plot-en-light.svg"),
])
def test_a_picture_is_the_readers_where_there_is_one_and_links_stay(language, name):
    assert localize_images(PAGE.format("plot-en-light.svg"), NAMES.__contains__, "en", language) == PAGE.format(name)
