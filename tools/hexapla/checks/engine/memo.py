"""Memoize functions of a page's records while rules call them again and again."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
KEPT = 64


def memoized(function: Callable[P, R]) -> Callable[P, R]:
    """The function with its last results kept by the identity of its arguments: hashing a page's records costs more.

    Arguments are held as long as their result is, so that no identity is given out twice. They must not change.
    """
    kept: dict[tuple[object, ...], tuple[object, R]] = {}

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        key = (*map(id, args), *((name, id(value)) for name, value in sorted(kwargs.items())))
        if key in kept:
            return kept[key][1]
        result = function(*args, **kwargs)
        if len(kept) >= KEPT:
            del kept[next(iter(kept))]
        kept[key] = ((args, kwargs), result)
        return result

    return wrapper
