"""The mkdocs.yml of a converted tree."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from hexapla.cldr import native_name

EXTENSIONS: Mapping[str, Any] = {
    "admonition": {}, "attr_list": {}, "footnotes": {}, "md_in_html": {}, "tables": {}, "toc": {"permalink": True},
    "pymdownx.details": {}, "pymdownx.highlight": {}, "pymdownx.inlinehilite": {}, "pymdownx.superfences": {},
    "pymdownx.tabbed": {"alternate_style": True},
}


def mkdocs_yml(
    name: str, languages: Sequence[str], source: str, navigation: Sequence[object],
    titles: Mapping[str, Mapping[str, str]],
) -> str:
    """The configuration of a site of these languages, the source's first."""
    codes = sorted(languages, key=lambda code: (code != source, code))
    settings: dict[str, Any] = {
        "site_name": name,
        "docs_dir": "docs",
        "exclude_docs": "_*.yml",
        "theme": {"name": "material", "font": False, "features": ["content.code.copy", "navigation.footer"]},
        "plugins": [
            "search",
            {"i18n": {
                "docs_structure": "folder", "fallback_to_default": True, "reconfigure_search": False,
                "languages": [language_entry(code, source, titles.get(code, {})) for code in codes],
            }},
            "hexapla",
        ],
        "markdown_extensions": [{key: dict(value)} if value else key for key, value in EXTENSIONS.items()],
    }
    if navigation:
        settings["nav"] = list(navigation)
    return yaml.safe_dump(settings, allow_unicode=True, sort_keys=False, width=120)


def language_entry(code: str, source: str, titles: Mapping[str, str]) -> dict[str, Any]:
    """A language as the i18n plugin lists it."""
    try:
        shown = native_name(code)
    except ValueError:
        shown = code
    entry: dict[str, Any] = {"locale": code, "name": shown, **({"default": True} if code == source else {})}
    return {**entry, "nav_translations": dict(titles)} if titles else entry
