"""Who looks after each language: `owners` of the plugin in a mkdocs.yml, else of `[tool.hexapla]`.

    owners: {ja: ["@kumiko", "@organisation/japanese"]}
"""

import re
from pathlib import Path
from typing import NamedTuple

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
    place, settings = own_settings(root)
    options = plugin_options(site_settings(root), "hexapla") or {}
    if "owners" in options:
        place, settings = "mkdocs.yml: hexapla", options
    named = settings.get("owners") or {}
    if not isinstance(named, dict):
        raise ConfigError(f'{place}.owners is {named!r}; write it as {{ja: ["@name", "@organisation/team"]}}')
    for code, names in named.items():
        if not (isinstance(code, str) and is_code(code)):
            raise ConfigError(f'{place}.owners names {code!r}, which is no code of a language; write one, as "ja"')
        if not isinstance(names, list) or not names:
            raise ConfigError(f'{place}.owners.{code} is {names!r}; write a list of names, as ["@name"]')
        for name in names:
            if not (isinstance(name, str) and OWNER.fullmatch(name)):
                raise ConfigError(f"{place}.owners.{code} names {name!r}; write @name or @organisation/team")
    return Owners({code: tuple(names) for code, names in named.items()}, f"{place}.owners")
