"""Edit a value of a YAML file, or add an entry; its comments, its layout and all other values stay."""

from collections.abc import Sequence
from typing import Any

import yaml

from hexapla.errors import ConfigError
from hexapla.yaml_text import compose_yaml

YamlPath = Sequence[str | int]


def with_value(text: str, path: YamlPath, value: str) -> str:
    """The text with a string at a path, mappings on the way made. Raises ConfigError if another value would change."""
    made = insert_value(text, path, value)
    require_same(text, made, path, value)
    return made


def without_key(text: str, path: YamlPath) -> str:
    """The text without a key of a block mapping and its value, if it is there. Raises ConfigError as the above."""
    above, depth = deepest_node(compose_yaml(text), path[:-1])
    pairs = above.value if depth == len(path) - 1 and isinstance(above, yaml.MappingNode) else []
    for key, value in pairs:
        if key.value == path[-1]:
            start = text.rfind("\n", 0, key.start_mark.index) + 1
            made = text[:start] + text[end_of_line(text, last_index(value)) + 1 :]
            require_same(text, made, path, None)
            return made
    return text


def require_same(before: str, after: str, path: YamlPath, value: str | None) -> None:
    """Raise ConfigError unless the two differ in the value at the path alone; None stands for no value there."""
    old, new = scalars_of(before), scalars_of(after)
    place = tuple(path)
    others = [{each: found for each, found in values.items() if each[: len(place)] != place} for values in (old, new)]
    if others[0] != others[1] or new.get(place) != value:
        raise ConfigError(f"{' > '.join(map(str, path))}: cannot be edited without changing more; edit it by hand")


def scalars_of(text: str) -> dict[tuple[str | int, ...], str]:
    """The scalars of a text by their paths; a text that is no YAML is one of itself."""
    try:
        return scalar_values(compose_yaml(text))
    except yaml.YAMLError:
        return {(): text}


def scalar_values(node: Any, path: tuple[str | int, ...] = ()) -> dict[tuple[str | int, ...], str]:
    """The scalars of a document by their paths, those that are empty left out."""
    if isinstance(node, yaml.ScalarNode):
        return {path: node.value} if node.value else {}
    found: dict[tuple[str | int, ...], str] = {}
    for key, each in child_nodes(node):
        found |= scalar_values(each, (*path, key))
    return found


def child_nodes(node: Any) -> list[tuple[str | int, Any]]:
    """What a collection holds, by key or index."""
    if isinstance(node, yaml.MappingNode):
        return [(str(key.value), value) for key, value in node.value]
    return list(enumerate(node.value)) if isinstance(node, yaml.SequenceNode) else []


def child_node(node: Any, key: str | int) -> Any:
    """The value of a key or an index, None where there is none."""
    return next((value for name, value in child_nodes(node) if name == key), None)


def deepest_node(node: Any, path: YamlPath) -> tuple[Any, int]:
    """The last node on the way to a path, and how many of the path's steps lead to it."""
    for depth, step in enumerate(path):
        if (below := child_node(node, step)) is None:
            return node, depth
        node = below
    return node, len(path)


def insert_value(text: str, path: YamlPath, value: str) -> str:
    """The text with the value in the place of the one at the path, or behind the last entry of the mapping there."""
    node, depth = deepest_node(compose_yaml(text), path)
    written = flow_text(value)
    for key in reversed(path[depth + 1 :]):
        written = f"{{{flow_text(str(key))}: {written}}}"
    if depth == len(path):
        return replaced_node(text, node, written)
    entry = f"{flow_text(str(path[depth]))}: {written}"
    if node is None:
        return f"{text.rstrip()}\n{entry}\n".lstrip("\n")
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return replaced_node(text, node, f"{{{entry}}}")
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(f"{' > '.join(map(str, path[:depth]))}: is no mapping; write it as one")
    return insert_entry(text, node, entry)


def with_entry(text: str, node: yaml.CollectionNode, entry: str) -> str:
    """The text with an entry more at the end of a list or of a mapping. Raises ConfigError where another would change.

    >>> with_entry("a: 1  # one\\nb: 2\\n", compose_yaml("a: 1  # one\\nb: 2\\n"), "c: 3")
    'a: 1  # one\\nb: 2\\nc: 3\\n'
    >>> anchored = "a: &one\\n  - 1\\n"
    >>> with_entry(anchored, child_node(compose_yaml(anchored), "a"), "2")
    'a: &one\\n  - 1\\n  - 2\\n'
    """
    made = insert_entry(text, node, entry)
    new = scalars_of(made)
    for path, value in scalars_of(text).items():
        if new.get(path) != value:
            raise ConfigError(f"{' > '.join(map(str, path))}: would be changed by what is added; edit it by hand")
    return made


def insert_entry(text: str, node: yaml.CollectionNode, entry: str) -> str:
    """The text with an entry behind the last one of a list or of a mapping, in its style and its column."""
    listed = isinstance(node, yaml.SequenceNode)
    if not node.value:
        made = f"[{entry}]" if listed else f"{{{entry}}}"
        return text[: node.start_mark.index] + made + text[node.end_mark.index :]
    last = last_index(node.value[-1] if listed else node.value[-1][1])
    if not node.start_mark.index <= last <= node.end_mark.index:
        raise ConfigError(f"line {node.start_mark.line + 1}: the last entry is an alias; add {entry!r} by hand")
    end = len(text[:last].rstrip())
    if node.flow_style:
        return f"{text[:end]}, {entry}{text[end:]}"
    end = end_of_line(text, end)
    first = node.value[0].start_mark.index if listed else node.value[0][0].start_mark.index
    start = text.rfind("-", 0, first) if listed else first
    indent = f"\n{' ' * (start - text.rfind(chr(10), 0, start) - 1)}"
    lines = entry.replace("\n", indent + "  " * listed)
    return f"{text[:end]}{indent}{'- ' * listed}{lines}{text[end:]}"


def end_of_line(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def replaced_node(text: str, node: Any, written: str) -> str:
    """The text with a node's value replaced; one that is empty has no space before it yet."""
    start, end = node.start_mark.index, node.end_mark.index
    space = " " if start == end and text[start - 1 : start] == ":" else ""
    return text[:start] + space + written + text[end:]


def last_index(node: Any) -> int:
    """Where a node's last value ends; the end of a block is that of the comments behind it."""
    below = child_nodes(node)
    flowing = getattr(node, "flow_style", True)
    return int(node.end_mark.index) if flowing or not below else last_index(below[-1][1])


def flow_text(value: str) -> str:
    """A string as YAML has it on one line, inside brackets too."""
    written = yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=1_000_000)
    return written.strip()[1:-1]
