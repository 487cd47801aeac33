"""The `checks` settings of a tree as written: in its mkdocs.yml under the plugin, else in its pyproject.toml."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.config.mkdocs_yaml import plugin_options, read_settings
from hexapla.errors import ConfigError
from hexapla.files import is_within, later_schema, read_text

SCHEMA = 1  # of [tool.hexapla]
# Settings beside a tree's own.
OTHER_SETTINGS = {"schema", "baseline", "parity", "checks", "owners", "drafts", "runners", "new_snippet"}


class ChecksConfig(NamedTuple):
    """The settings, and the place that messages name: "mkdocs.yml: hexapla.checks"."""

    place: str
    settings: object


def find_checks(mkdocs_yml: Path, data: Mapping[str, Any]) -> ChecksConfig:
    """The settings in `data`, a mkdocs.yml, else in the pyproject.toml beside it. Raises ConfigError."""
    checks = (plugin_options(data, "hexapla") or {}).get("checks")
    if checks is not None:
        return ChecksConfig(f"{mkdocs_yml.name}: hexapla.checks", checks)
    name, settings = own_settings(mkdocs_yml.parent)
    return ChecksConfig(f"{name}.checks", settings.get("checks"))


def compares_all(root: Path) -> bool:
    """Whether translations are compared with their source in everything: by `parity`, else where the plugin is."""
    mkdocs_yml, settings = root / "mkdocs.yml", own_settings(root)[1]
    data = read_settings(mkdocs_yml) if mkdocs_yml.is_file() else {}
    return bool(settings.get("parity", plugin_options(data, "hexapla") is not None))


def accepted_findings(root: Path, written: bool = False) -> Path | None:
    """The baseline that a tree's settings name, if any; with `written`, if it is there. Raises ConfigError."""
    place, settings = own_settings(root)
    named = settings.get("baseline")
    if not (named is None or (isinstance(named, str) and is_within(root, root / named))):
        raise ConfigError(f"{place}.baseline is {named!r}; name a file of the tree, as \".hexapla-baseline.json\"")
    return root / named if named and not (written and not (root / named).is_file()) else None


def own_settings(root: Path) -> tuple[str, dict[str, Any]]:
    """The settings of a hexapla.toml, else those of a pyproject.toml, and the place to name. Raises ConfigError."""
    name = "hexapla.toml" if (root / "hexapla.toml").is_file() else "pyproject.toml"
    return f"{name}: tool.hexapla", pyproject_settings(root / name)


def pyproject_settings(file: Path) -> dict[str, Any]:
    """`[tool.hexapla]` of a pyproject.toml or a hexapla.toml, {} without it. Raises ConfigError."""
    try:
        tools = tomllib.loads(read_text(file.parent, file)).get("tool", {}) if file.is_file() else {}
        found = tools.get("hexapla", {})
        if not isinstance(found, dict):
            raise ConfigError(f"{file}: tool.hexapla is no table; write it as [tool.hexapla]")
        if later := later_schema(found.get("schema"), SCHEMA):
            raise ConfigError(f"{file}: {later}")
        return found
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file}: is not TOML ({error}); correct it") from error
