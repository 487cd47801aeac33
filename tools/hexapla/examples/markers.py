"""Read a snippet's requirements from the markers of its test, without importing the test.

    pytestmark = [pytest.mark.env("tf"), pytest.mark.needs(devices=2, network=True), pytest.mark.measures]

Only the standard library is imported here: this runs in every environment.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

CORE = "core"  # the environment that hexapla itself runs in
NEEDS: Mapping[str, Callable[[Any], object]] = {"devices": int, "device": str, "network": bool}


class MarkerError(ValueError):
    """A marker that cannot be read without running the test; the message says which and what to write."""


class Requirements(NamedTuple):
    """What a test says of its snippet: its environment, the devices it needs, and whether what it prints is measured.

    `device` is the only kind that it computes on, empty for any; `network` is the user's to allow. `varies` are regular
    expressions of what differs from run to run in its output.
    """

    environment: str = CORE
    devices: int = 1
    measures: bool = False
    device: str = ""
    network: bool = False
    varies: tuple[str, ...] = ()


def read_requirements(source: str) -> Requirements:
    """Read the requirements in a module's `pytestmark`. Raises MarkerError, and SyntaxError if it is not Python."""
    if "pytestmark" not in source:
        return Requirements()
    found: dict[str, Any] = {}
    for name, call in module_marks(ast.parse(source)):
        arguments = call.args if call else []
        if name == "env":
            found["environment"] = str(read_literal(call, arguments[0] if arguments else None))
        elif name == "needs":
            for key, value in ((str(each.arg), each.value) for each in (call.keywords if call else ())):
                if key in NEEDS:
                    found[key] = NEEDS[key](read_literal(call, value))
        elif name == "measures":
            found["measures"] = True
        elif name == "varies":
            found["varies"] = (*found.get("varies", ()), *(read_pattern(call, each) for each in arguments))
    return Requirements(**found)


def module_marks(tree: ast.Module) -> Iterator[tuple[str, ast.Call | None]]:
    """The name and, if it is called, the call of every `pytest.mark.<name>` in the module's `pytestmark`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets):
            listed = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
            for mark in listed:
                call = mark if isinstance(mark, ast.Call) else None
                named = call.func if call else mark
                if isinstance(named, ast.Attribute):
                    yield named.attr, call


def check_pattern(pattern: str) -> str:
    """The pattern, if it is a regular expression. Raises MarkerError."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise MarkerError(f"{pattern!r} is no regular expression ({error})") from error
    return pattern


def read_pattern(call: ast.Call | None, value: ast.expr) -> str:
    """A regular expression that a marker gives. Raises MarkerError for what is none."""
    try:
        return check_pattern(str(read_literal(call, value)))
    except MarkerError as error:
        raise MarkerError(f"line {value.lineno}: {error}") from error


def read_literal(call: ast.Call | None, value: ast.expr | None) -> object:
    """The value of a marker's argument. Raises MarkerError unless it is a literal."""
    if not isinstance(value, ast.Constant):
        line = call.lineno if call else 1
        raise MarkerError(f"line {line}: the marker's argument is not written out; write it as a literal")
    return value.value
