"""What a build adds to the configuration."""

from types import SimpleNamespace

import pytest
from hexapla.site.build.site_config import set_theme_language


class NamedTheme(dict):
    """A theme's options, with its name."""

    def __init__(self, name, **options):
        super().__init__(options)
        self.name = name
        self.dirs = ()


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


@pytest.mark.parametrize(("code", "strings", "shown"), [
    ("ja", "ja", ""), ("ne", "en", "ne"), ("zh_CN", "zh", "zh-CN"), ("zh-HK", "zh-Hant", "zh-HK"),
])
def test_a_language_without_strings_in_the_theme_has_the_nearest_ones(tmp_path, code, strings, shown):
    for name in ("en", "ja", "zh", "zh-Hant"):
        (tmp_path / "partials/languages").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"partials/languages/{name}.html").write_text("")
    theme = NamedTheme("material", language=code)
    theme.dirs = (str(tmp_path),)
    set_theme_language(SimpleNamespace(theme=theme), None)
    assert (theme["language"], theme["hexapla_language"]) == (strings, shown)
