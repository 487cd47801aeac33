"""What a converted project takes over from the mkdocs.yml that it had, and what it leaves out."""

import re
from collections.abc import Collection, Mapping
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from hexapla.config.mkdocs_yaml import extensions_of, options_by_name
from hexapla.convert.conversion_records import Take

TAKEN = ("site_name", "site_description", "site_author", "copyright", "repo_name", "repo_url")
THEME = ("palette", "features", "font", "icon", "logo", "favicon")
OURS = {"search", "i18n", "hexapla"}
ZENSICAL = "zensical.extensions.emoji."  # the same functions as Material's
FUNCTION = re.compile(r"(?:pymdownx|material|zensical)(?:\.\w+)+")
REPLACED = {"pymdownx.snippets", "mdx_include", "markdown_include_variants"}  # includes are snippets here


class PythonName(str):
    """The dotted name of a function, which YAML for MkDocs writes with a tag."""


class FormerSettings(NamedTuple):
    """Settings of MkDocs by key; `theme` and `extensions` are added to what a converted project has of its own."""

    settings: Mapping[str, Any] = {}
    theme: Mapping[str, Any] = {}
    extensions: Mapping[str, Any] = {}
    navigation: tuple[Any, ...] = ()


def take_settings(
    former: Mapping[str, Any], titles: Mapping[str, str], files: Collection[str], note: Take
) -> FormerSettings:
    """The settings that work here; `titles` are those of the source's pages by their paths, `files` what is copied."""
    theme = former.get("theme")
    theme = {key: theme[key] for key in THEME if key in theme} if isinstance(theme, dict) else {}
    for key in ("logo", "favicon"):
        if key in theme and theme[key] not in files:
            note("setting", 1, f"theme.{key} names {theme.pop(key)}, which is not copied; it is left out")
    if isinstance(theme.get("features"), list) and any(map(is_instant, theme["features"])):
        note("setting", 1, "navigation.instant would lose the page at a change of language; it is left out")
        theme["features"] = [each for each in theme["features"] if not is_instant(each)]
    icon = theme.get("icon")
    if isinstance(icon, dict):  # a name without a folder is one of the project's own
        theme["icon"] = {key: value for key, value in icon.items() if not isinstance(value, str) or "/" in value}
    for key in ("custom_dir", "extra_css", "extra_javascript", "hooks"):
        if former.get(key) or (isinstance(former.get("theme"), dict) and former["theme"].get(key)):
            note("setting", 1, f"`{key}` names files that are not copied; add them and the setting by hand")
    for name in options_by_name(former.get("plugins")).keys() - OURS:
        note("plugin", 1, f"the plugin {name} is left out; if pages need it, install it and add it under `plugins`")
    navigation = take_navigation(former.get("nav"), titles, note)
    return FormerSettings(
        {key: former[key] for key in TAKEN if former.get(key)}, theme, take_extensions(former, note), tuple(navigation))


def is_instant(feature: object) -> bool:
    """Whether a feature of the theme loads pages without leaving the one that is there."""
    return str(feature).startswith("navigation.instant")


def take_extensions(former: Mapping[str, Any], note: Take) -> dict[str, Any]:
    """The Markdown extensions that are installed here, with their options."""
    found: dict[str, Any] = {}
    known = {each.name for each in entry_points(group="markdown.extensions")}
    for name, options in (extensions_of(former) or {}).items():
        if name in known or (name.startswith("pymdownx.") and name not in REPLACED):
            found[name] = with_functions(options or {})
        elif name not in REPLACED:
            note("extension", 1, f"the Markdown extension {name} is left out; if pages need it, install it and add it")
    return found


def with_functions(value: Any) -> Any:
    """Options in which the names of functions are such, those of Zensical by Material's."""
    if isinstance(value, dict):
        if value.keys() == {"python", "options"}:
            return PythonName(value["python"])
        return {key: with_functions(each) for key, each in value.items() if key != "custom_icons"}
    if isinstance(value, list):
        return [with_functions(each) for each in value]
    if isinstance(value, str) and FUNCTION.fullmatch(value):
        return PythonName(value.replace(ZENSICAL, "material.extensions.emoji.", 1))
    return value


def take_navigation(entries: object, titles: Mapping[str, str], note: Take) -> list[Any]:
    """A navigation whose pages are there; a section without a name has the title of its first page."""
    made: list[Any] = []
    for entry in entries if isinstance(entries, list) else []:
        for title, inside in entry.items() if isinstance(entry, dict) else [(None, entry)]:
            if isinstance(inside, list):
                below = take_navigation(inside, titles, note)
                first = next((each for each in inside if isinstance(each, str)), "")
                made += [{str(title) or titles.get(first, first): below}] if below else []
            elif isinstance(inside, str) and (inside in titles or ":" in inside):
                made.append({title: inside} if title else inside)
            else:
                note("toctree", 1, f"the navigation names {inside}, which is no page; it is left out")
    return made
