"""Addresses that the settings of a Jekyll site give the pages of a folder."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import yaml

from hexapla.files import is_own_file, read_text
from hexapla.yaml_text import load_yaml

SETTINGS = "_config.yml"


def settings_permalinks(root: Path) -> tuple[tuple[str, str], ...]:
    """The folders whose pages have a permalink by `defaults` or `collections`, with it: the innermost first."""
    settings = None
    with contextlib.suppress(OSError, UnicodeDecodeError, ValueError, yaml.YAMLError):
        settings = load_yaml(read_text(root, SETTINGS)) if is_own_file(root, SETTINGS) else None
    found = dict(permalinks_in(settings)) if isinstance(settings, dict) else {}
    return tuple(sorted(found.items(), key=lambda each: -len(each[0])))


def permalinks_in(settings: dict[str, object]) -> Iterator[tuple[str, str]]:
    """The folder and the permalink of each entry that has both."""
    collections, defaults = settings.get("collections"), settings.get("defaults")
    for name, values in collections.items() if isinstance(collections, dict) else ():
        if isinstance(values, dict) and isinstance(link := values.get("permalink"), str):
            yield f"_{name}/", link
    for each in defaults if isinstance(defaults, list) else ():
        scope, values = (each.get("scope"), each.get("values")) if isinstance(each, dict) else (None, None)
        path, link = (found.get(key) if isinstance(found, dict) else None
                      for found, key in ((scope, "path"), (values, "permalink")))
        if isinstance(path, str) and isinstance(link, str) and path:
            yield f"{path.rstrip('/')}/", link


def fill_permalink(permalink: str, path: str) -> str:
    """The site path of a page, without the slash at its start.

    >>> fill_permalink("/book/:title.html", "_all/book/a.md"), fill_permalink("/:collection/:path/", "_tour/b/c.md")
    ('book/a.html', 'tour/b/c/')
    """
    file = PurePosixPath(path).with_suffix("")
    values = {"title": file.name, "name": file.name, "basename": file.name, "slug": file.name, "output_ext": ".html",
              "collection": file.parts[0].lstrip("_"), "path": "/".join(file.parts[1:]), "categories": ""}
    filled = re.sub(r":(\w+)", lambda found: values.get(found[1], found[0]), permalink)
    return re.sub("/{2,}", "/", filled).lstrip("/")
