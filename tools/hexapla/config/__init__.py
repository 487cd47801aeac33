"""The project and where its pages are: mkdocs.yml, pyproject.toml and options become Project and Layout."""

from hexapla.config.project import (
    Language,
    Project,
    find,
    find_root,
    load,
    plugin_options,
    project,
    read_yaml,
    settings,
)
from hexapla.errors import ConfigError

__all__ = [
    "ConfigError", "Language", "Project", "find", "find_root", "load", "plugin_options", "project", "read_yaml",
    "settings",
]
