"""Modules that a library imports for functions it does not call here: imported when one is called, if ever."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class Late(ModuleType):
    """Stands for a module of which functions are taken: each imports the module when it is called."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *given, **named: getattr(import_module(self.__name__), name)(*given, **named)


@contextmanager
def late(name: str) -> Iterator[None]:
    """What is imported inside gets the functions of the module `name` without its being imported."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = Late(name)
    try:
        yield
    finally:
        del sys.modules[name]
