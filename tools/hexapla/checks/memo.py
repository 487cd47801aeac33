"""Memoize functions of a page's records while rules call them again and again."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")
KEPT = 64


def memoized(function: Callable[[*Arguments], R]) -> Callable[[*Arguments], R]:
    """The function with its last results kept by the identity of its arguments: hashing a page's records costs more.

    Arguments are held as long as their result is, so that no identity is given out twice. They must not change.
    """
    kept: dict[tuple[int, ...], tuple[object, R]] = {}

    @wraps(function)
    def wrapper(*args: *Arguments) -> R:
        key = tuple(map(id, args))
        if key in kept:
            return kept[key][1]
        result = function(*args)
        if len(kept) >= KEPT:
            del kept[next(iter(kept))]
        kept[key] = (args, result)
        return result

    return wrapper
