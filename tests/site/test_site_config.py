"""What a build adds to the configuration."""

from types import SimpleNamespace

import pytest
from hexapla.site.site_config import set_theme_language


class NamedTheme(dict):
    """A theme's options, with its name."""

    def __init__(self, name, **options):
        super().__init__(options)
        self.name = name


@pytest.mark.parametrize(("theme", "own", "language"), [
    (NamedTheme("materialx", language="en"), None, "ja"),
    (NamedTheme("materialx", language="en"), {"language": "ko"}, "ko"),
    (NamedTheme("material", language="en"), None, "en"),   # the i18n plugin sets it
    (NamedTheme("mkdocs"), None, None),                    # has no such option
])
def test_a_theme_is_in_the_language_that_is_built(theme, own, language):
    languages = [{"locale": "en", "theme": None}, {"locale": "ja", "theme": own}]
    i18n = SimpleNamespace(config={"languages": languages}, current_language="ja")
    set_theme_language(SimpleNamespace(theme=theme), i18n)
    assert theme.get("language") == language
