"""What a build adds to the configuration of MkDocs."""

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig

from hexapla.languages import base, bcp47, is_traditional
from hexapla.pages import inline_markup
from hexapla.site.build import highlighting_cache
from hexapla.site.upstream.theme_contract import OWN


def extend(config: MkDocsConfig) -> MkDocsConfig:
    """Add Hexapla's templates, styles and scripts, and the shortcuts in rendering where they hold."""
    config.theme.dirs.insert(0, str(OWN))
    config.extra_css.insert(0, "assets/hexapla/hexapla.css")
    config.extra_javascript += ["assets/hexapla/hexapla.js", "assets/hexapla/beside.js"]
    if inline_markup.OTHER_MARKUP.isdisjoint(config.markdown_extensions):
        config.markdown_extensions.append(inline_markup.__name__)
    config.markdown_extensions.append(highlighting_cache.__name__)
    return config


def set_theme_language(config: MkDocsConfig, i18n: Any) -> None:
    """Set the theme's language to the one that is built, as the i18n plugin does for the theme named material alone.

    A language without strings in the theme has those of its base, or the English ones: the theme would raise an error.
    `hexapla_language` is then what its pages say they are written in, "" for any other.
    """
    if config.theme.name != "material" and "language" in config.theme:
        built = next(each for each in i18n.config["languages"] if each["locale"] == i18n.current_language)
        config.theme["language"] = (built["theme"] or {}).get("language", i18n.current_language)
    folders = [Path(folder, "partials/languages") for folder in config.theme.dirs]
    if "language" in config.theme and any((folder / "en.html").is_file() for folder in folders):
        wanted = str(config.theme["language"])
        near = (wanted, "zh-Hant" if is_traditional(wanted) else base(wanted), "en")
        known = next(code for code in near if any((folder / f"{code}.html").is_file() for folder in folders))
        config.theme["language"], config.theme["hexapla_language"] = known, "" if known == wanted else bcp47(wanted)
