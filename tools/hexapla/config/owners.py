"""Who looks after each language, and how much may wait for them: in a mkdocs.yml's plugin, else in `[tool.hexapla]`.

    owners: {ja: ["@kumiko", "@organisation/japanese"]}
    drafts: {unread: 40}
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.config.checks_config import own_settings
from hexapla.config.mkdocs_yaml import plugin_options, site_settings
from hexapla.errors import ConfigError
from hexapla.languages import is_code

OWNER = re.compile(r"@\w[\w.-]*(?:/[\w.-]+)*", re.ASCII)  # a person, or a team of an organisation


class Owners(NamedTuple):
    """The owners of each language by its code, as hosts name them, and the place that messages name."""

    of: dict[str, tuple[str, ...]]
    place: str


def find_owners(root: Path) -> Owners:
    """The owners that a tree's settings name. Raises ConfigError for what is no name that a host knows."""
    place, named = find_setting(root, "owners")
    if not isinstance(named, dict):
        raise ConfigError(f'{place} is {named!r}; write it as {{ja: ["@name", "@organisation/team"]}}')
    for code, names in named.items():
        if not (isinstance(code, str) and is_code(code)):
            raise ConfigError(f'{place} names {code!r}, which is no code of a language; write one, as "ja"')
        if not isinstance(names, list) or not names:
            raise ConfigError(f'{place}.{code} is {names!r}; write a list of names, as ["@name"]')
        for name in names:
            if not (isinstance(name, str) and OWNER.fullmatch(name)):
                raise ConfigError(f"{place}.{code} names {name!r}; write @name or @organisation/team")
    return Owners({code: tuple(names) for code, names in named.items()}, place)


def unread_limit(root: Path) -> int | None:
    """How many drafts of a language may wait to be read, None for any number. Raises ConfigError for no number."""
    place, drafts = find_setting(root, "drafts")
    limit = drafts.get("unread") if isinstance(drafts, dict) and drafts.keys() == {"unread"} else None
    if drafts and (type(limit) is not int or limit < 1):
        raise ConfigError(f"{place} is {drafts!r}; write it as {{unread: 40}}")
    return limit if drafts else None


def find_setting(root: Path, name: str) -> tuple[str, Any]:
    """The place of a setting as messages name it, and what it says, {} for nothing. Raises ConfigError."""
    place, settings = own_settings(root)
    options = plugin_options(site_settings(root), "hexapla") or {}
    if name in options:
        place, settings = "mkdocs.yml: hexapla", options
    return f"{place}.{name}", settings.get(name) or {}
