"""The `checks` settings of a tree: in its mkdocs.yml under the hexapla plugin, else in its pyproject.toml.

They are returned as they are written; which rules there are is known to the checks alone.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.config.mkdocs_yaml import plugin_options, read_settings
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
    name, settings = own_settings(mkdocs_yml.parent)
    return ChecksConfig(f"{name}.checks", settings.get("checks"))


def is_ours(root: Path) -> bool:
    """Whether a tree is a project of ours: its mkdocs.yml has the plugin, or it has settings for us."""
    mkdocs_yml = root / "mkdocs.yml"
    data = read_settings(mkdocs_yml) if mkdocs_yml.is_file() else {}
    return plugin_options(data, "hexapla") is not None or bool(own_settings(root)[1])


def own_settings(root: Path) -> tuple[str, dict[str, Any]]:
    """The settings of a hexapla.toml, else those of a pyproject.toml, and the place to name. Raises ConfigError."""
    if (root / "hexapla.toml").is_file():
        return "hexapla.toml: tool.hexapla", pyproject_settings(root / "hexapla.toml")
    return "pyproject.toml: tool.hexapla", pyproject_settings(root / "pyproject.toml")


def pyproject_settings(file: Path) -> dict[str, Any]:
    """`[tool.hexapla]` of a pyproject.toml or a hexapla.toml, {} without it. Raises ConfigError."""
    try:
        tools = tomllib.loads(read_text(file.parent, file)).get("tool", {}) if file.is_file() else {}
        found = tools.get("hexapla", {})
        if not isinstance(found, dict):
            raise ConfigError(f"{file}: tool.hexapla is no table; write it as [tool.hexapla]")
        return found
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file}: is not TOML ({error}); correct it") from error
