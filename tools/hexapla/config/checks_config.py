"""The `checks` settings of a tree: in its mkdocs.yml under the hexapla plugin, else in its pyproject.toml.

They are returned as they are written; which rules there are is known to the checks alone.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.config.mkdocs_yaml import plugin_options
from hexapla.errors import ConfigError
from hexapla.files import read_text


class ChecksConfig(NamedTuple):
    """The settings, and the place that messages name: "mkdocs.yml: hexapla.checks"."""

    place: str
    settings: object


def find_checks(mkdocs_yml: Path, data: Mapping[str, Any]) -> ChecksConfig:
    """The settings in `data`, what a mkdocs.yml says, or else in the pyproject.toml beside it; None if neither has any.

    Raises ConfigError for a pyproject.toml that is not TOML.
    """
    checks = (plugin_options(data, "hexapla") or {}).get("checks")
    if checks is not None:
        return ChecksConfig(f"{mkdocs_yml.name}: hexapla.checks", checks)
    settings = pyproject_settings(mkdocs_yml.with_name("pyproject.toml"))
    return ChecksConfig("pyproject.toml: tool.hexapla.checks", settings.get("checks"))


def pyproject_settings(file: Path) -> dict[str, Any]:
    """`[tool.hexapla]` of a pyproject.toml, {} without it. Raises ConfigError."""
    try:
        tools = tomllib.loads(read_text(file.parent, file)).get("tool", {}) if file.is_file() else {}
        return tools.get("hexapla", {})  # type: ignore[no-any-return]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file}: is not TOML ({error}); correct it") from error
