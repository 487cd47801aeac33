"""Read mkdocs.yml, or a zensical.toml, whose tags name code that is neither run nor looked up."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from hexapla.errors import ConfigError
from hexapla.files import is_within, read_text
from hexapla.yaml_text import LOADER, load_yaml

CONFIGURATIONS = ("mkdocs.yml", "zensical.toml")


class _DataLoader(LOADER):  # type: ignore[misc]
    """The safe loader; the tags that MkDocs allows (`!ENV`, `!!python/name:`) become data."""


def _python_name(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    """The Python object that a tag names, as data: `name:a.b`, `object/apply:a.b {kwds: {...}}`."""
    given = loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else {}
    return {"python": suffix.partition(":")[2], "options": given.get("kwds") or {}}


_DataLoader.add_multi_constructor("!", lambda loader, suffix, node: None)
_DataLoader.add_multi_constructor("tag:yaml.org,2002:python/", _python_name)


def read_settings(file: Path) -> dict[str, Any]:
    """The settings of a mkdocs.yml or of a zensical.toml. Raises ConfigError."""
    try:
        text = read_text(file.parent, file)
        data = tomllib.loads(text).get("project", {}) if file.suffix == ".toml" else load_yaml(text, _DataLoader)
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror or error}; check the path given to --root") from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        kind = "TOML" if file.suffix == ".toml" else "YAML"
        raise ConfigError(f"{file}: is not {kind} ({' '.join(str(error).split())}); correct it") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{file}: holds no settings; start from the example in the README")
    return data


def site_settings(root: Path) -> dict[str, Any]:
    """The settings of a folder's mkdocs.yml, or below `project` of its zensical.toml, else {}. Raises ConfigError."""
    return next((read_settings(root / name) for name in CONFIGURATIONS if (root / name).is_file()), {})


def plugin_options(settings: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """The options of a plugin, {} where it has none, None where the settings do not name it."""
    plugins = options_by_name(settings.get("plugins"))
    if name not in plugins:
        return None
    return plugins[name] if isinstance(plugins[name], dict) else {}


def options_by_name(entries: object) -> dict[str, Any]:
    """MkDocs' list of names and of mappings of one key, or a mapping, as one mapping of name to options."""
    found: dict[str, Any] = {}
    for entry in entries if isinstance(entries, list) else [entries]:
        found |= entry if isinstance(entry, dict) else {} if entry is None else {str(entry): None}
    return {str(name): options for name, options in found.items()}


def extensions_of(settings: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The options of the Markdown extensions that a mkdocs.yml names, None where it names none."""
    entries = (settings or {}).get("markdown_extensions")
    return None if entries is None else options_by_name(entries)


def snippet_folders(extensions: Mapping[str, Any] | None, base: Path, root: Path) -> tuple[Path, ...]:
    """The folders below `root` where pymdownx.snippets looks for included files, () where it is no extension."""
    return tuple(folder for folder in named_snippet_folders(extensions, base) if is_within(root, folder))


def named_snippet_folders(extensions: Mapping[str, Any] | None, base: Path) -> tuple[Path, ...]:
    """The folders that the settings of pymdownx.snippets name, wherever they lie."""
    if not extensions or "pymdownx.snippets" not in extensions:
        return ()
    folders = (extensions["pymdownx.snippets"] or {}).get("base_path") or ["."]
    return tuple(base / str(folder) for folder in ([folders] if isinstance(folders, str) else folders))
