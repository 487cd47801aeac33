"""Folders of a Hugo site that its module mounts fill with pages from elsewhere."""

import contextlib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from hexapla.files import read_text
from hexapla.yaml_text import load_yaml

SETTINGS = ("hugo.*", "config.*", "config/*/*")  # of which module.yaml is one by habit


def mounted_folders(root: Path, content: str) -> tuple[str, ...]:
    """The targets of mounts, below a language's folder of pages, whose source is no page of the content folder."""
    found = set()
    for file in sorted(each for glob in SETTINGS for each in root.glob(glob)):
        with contextlib.suppress(OSError, UnicodeDecodeError, ValueError, yaml.YAMLError):
            for source, target in mounts_in(read_settings(root, file)):
                if target.startswith("content/") and not source.startswith(f"{content or 'content'}/"):
                    found.add(target.removeprefix("content/").removesuffix("/_index.md").removesuffix(".md"))
    return tuple(sorted(found))


def read_settings(root: Path, file: Path) -> object:
    """What a file of settings says, None for one that is neither YAML nor TOML. Raises OSError and ValueError."""
    if file.suffix == ".toml":
        return tomllib.loads(read_text(root, file))
    return load_yaml(read_text(root, file)) if file.suffix in {".yaml", ".yml"} else None


def mounts_in(settings: object) -> Iterator[tuple[str, str]]:
    """The source and the target of each mount, of a file `module.yaml` or below the key `module`."""
    if isinstance(settings, Mapping):
        yield from mounts_in(settings.get("module"))
        mounts = settings.get("mounts")
        for each in mounts if isinstance(mounts, list) else ():
            if isinstance(each, Mapping) and {"source", "target"} <= each.keys():
                yield str(each["source"]), str(each["target"])
