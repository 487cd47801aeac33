"""The mkdocs.yml of a converted tree."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from hexapla.cldr import native_name
from hexapla.convert.former_settings import FormerSettings, PythonName

EXTENSIONS: Mapping[str, Any] = {
    "admonition": {}, "attr_list": {}, "footnotes": {}, "md_in_html": {}, "tables": {}, "toc": {"permalink": True},
    "pymdownx.details": {}, "pymdownx.highlight": {}, "pymdownx.inlinehilite": {}, "pymdownx.superfences": {},
    "pymdownx.tabbed": {"alternate_style": True},
}
SNIPPETS: Mapping[str, Any] = {"pymdownx.snippets": {"base_path": ["."], "check_paths": True}}


class SettingsDumper(yaml.SafeDumper):
    """Writes the names of functions with the tag that MkDocs reads."""


SettingsDumper.add_representer(
    PythonName, lambda dumper, name: dumper.represent_scalar(f"tag:yaml.org,2002:python/name:{name}", ""))


def mkdocs_yml(
    name: str, languages: Sequence[str], source: str, navigation: Sequence[object],
    titles: Mapping[str, Mapping[str, str]], former: FormerSettings, includes: bool,
) -> str:
    """The configuration of a site of these languages, the source's first.

    `former` is what it takes over; `includes` says that pages include files by their paths from the project's root.
    """
    codes = sorted(languages, key=lambda code: (code != source, code))
    extensions = {**EXTENSIONS, **former.extensions, **(SNIPPETS if includes else {})}
    settings: dict[str, Any] = {
        "site_name": name,
        **former.settings,
        "docs_dir": "docs",
        "exclude_docs": "_*.yml",
        "theme": {"name": "material", "font": False, "features": ["content.code.copy", "navigation.footer"],
                  **former.theme},
        "plugins": [
            "search",
            {"i18n": {
                "docs_structure": "folder", "fallback_to_default": True, "reconfigure_search": False,
                "languages": [language_entry(code, source, titles.get(code, {})) for code in codes],
            }},
            "hexapla",
        ],
        "markdown_extensions": [{key: dict(value)} if value else key for key, value in extensions.items()],
    }
    if navigation:
        settings["nav"] = list(navigation)
    return yaml.dump(settings, Dumper=SettingsDumper, allow_unicode=True, sort_keys=False, width=120)


def language_entry(code: str, source: str, titles: Mapping[str, str]) -> dict[str, Any]:
    """A language as the i18n plugin lists it."""
    try:
        shown = native_name(code)
    except ValueError:
        shown = code
    entry: dict[str, Any] = {"locale": code, "name": shown}
    if code == source:
        entry["default"] = True
    if titles:
        entry["nav_translations"] = dict(titles)
    return entry
