"""The YAML that MkDocs allows, read without looking up the code that it names."""

from typing import Any

import yaml


class _Tolerant(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # ten times the speed
    """The safe loader, deaf to the tags that MkDocs allows (`!ENV`, `!!python/name:`): no code is looked up."""


def _ignore(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> None:
    return None


def _code(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    """What a tag names in Python, as data: nothing is looked up. `name:a.b`, `object/apply:a.b {kwds: {...}}`."""
    given = loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else {}
    return {"python": suffix.partition(":")[2], "options": given.get("kwds") or {}}


_Tolerant.add_multi_constructor("!", _ignore)
_Tolerant.add_multi_constructor("tag:yaml.org,2002:python/", _code)


def parse(text: str) -> Any:
    """What a text says; tags that name code are data. Raises ValueError where it is no YAML."""
    try:
        return yaml.load(text, _Tolerant)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
