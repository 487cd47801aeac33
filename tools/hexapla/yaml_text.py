"""YAML that nobody vouches for, read within bounds of its size, its depth, and what its aliases expand to.

libyaml calls itself for each level, so that some kilobytes of brackets would end the process; and an alias repeats what
it names, so that some hundred bytes would fill the memory. Both are counted in the events, before any value is made.
"""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import yaml

LARGEST = 8_000_000  # characters
DEEPEST = 100  # levels; the deepest file of the guide has 9
MOST = 500_000  # values with those that aliases repeat
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's where it is: ten times the speed


class YamlBoundsError(yaml.MarkedYAMLError):
    """YAML that is well formed and over a bound; `problem` says which, `problem_mark` where."""


def load_yaml(text: str, loader: Any = LOADER) -> Any:
    """The value of a document, None for an empty one. Raises yaml.YAMLError and ValueError."""
    require_bounds(text)
    return yaml.load(text, loader)


def load_table(package: str, name: str) -> dict[str, Any]:
    """A table that is a file of this program's, beside the modules of a package."""
    found: dict[str, Any] = load_yaml(files(package).joinpath(name).read_text(encoding="utf-8"))
    return found


def compose_yaml(text: str) -> Any:
    """The nodes of a document with their places, None for an empty one. Raises yaml.YAMLError and ValueError."""
    require_bounds(text)
    loader = yaml.SafeLoader if text.startswith("\ufeff") else LOADER  # libyaml's places leave a byte order mark out
    return yaml.compose(text, loader)


def load_with_nodes(text: str) -> tuple[Any, Any]:
    """The nodes of a document with their places, and its value. Raises yaml.YAMLError and ValueError."""
    require_bounds(text)
    loader = LOADER(text)
    root = loader.get_single_node()
    return root, None if root is None else loader.construct_document(root)


def locate_mistake(error: Exception) -> tuple[int, int, str]:
    """Line and column of what makes a text no YAML, from 1, and what it is in one line."""
    mark = getattr(error, "problem_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return line, column, getattr(error, "problem", None) or str(error).partition("\n")[0]


def texts_in(value: object) -> Iterator[str]:
    """Every text in nested lists and mappings, keys left out."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_in(each)


def require_bounds(text: str) -> None:
    """Raise YamlBoundsError for a text over a bound, yaml.YAMLError for one that is no YAML."""
    if len(text) > LARGEST:
        raise YamlBoundsError(problem=f"it has more than {LARGEST:,} characters")
    sizes = [0]  # of the collections that are open, in values
    anchors: dict[str, int] = {}
    names: list[str | None] = []
    for event in yaml.parse(text, LOADER):
        mark: Any = event.start_mark  # libyaml's has a class of its own
        match event:
            case yaml.CollectionStartEvent():
                if len(sizes) > DEEPEST:
                    raise YamlBoundsError(problem=f"it has more than {DEEPEST} levels", problem_mark=mark)
                sizes.append(1)
                names.append(event.anchor)
                continue
            case yaml.CollectionEndEvent():
                size, name = sizes.pop(), names.pop()
            case yaml.ScalarEvent():
                size, name = 1, event.anchor
            case yaml.AliasEvent() if event.anchor in names:
                raise YamlBoundsError(problem=f"the alias *{event.anchor} stands in what it names", problem_mark=mark)
            case yaml.AliasEvent():
                size, name = anchors.get(event.anchor or "", 1), None
            case _:
                continue
        sizes[-1] += size
        if name:
            anchors[name] = size
        if sizes[-1] > MOST:
            raise YamlBoundsError(problem=f"its aliases stand for more than {MOST:,} values",
                                  problem_mark=mark)
