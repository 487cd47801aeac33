"""What a mkdocs.yml names and this environment lacks: plugins and Markdown extensions of other packages."""

from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any

from hexapla.config.mkdocs_yaml import extensions_of, options_by_name


def not_installed(settings: Mapping[str, Any]) -> Iterator[str]:
    """The names of plugins and extensions that MkDocs would not find here; nothing is imported."""
    plugins = {entry.name for entry in entry_points(group="mkdocs.plugins")}
    for name in options_by_name(settings.get("plugins")):
        if name not in plugins and name.removeprefix("material/") not in plugins and f"material/{name}" not in plugins:
            yield name
    extensions = {entry.name for entry in entry_points(group="markdown.extensions")}
    for name in extensions_of(settings) or ():
        if name not in extensions and find_spec(name.partition(":")[0].partition(".")[0]) is None:
            yield name
