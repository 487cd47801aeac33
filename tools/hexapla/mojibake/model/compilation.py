"""Compile loops over arrays to machine code where numba is installed; elsewhere they run in Python, slowly."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    from numba import njit

    def compiled(function: Function) -> Function:
        """The function as machine code, kept on disk beside it for the next process."""
        return cast("Function", njit(cache=True, nogil=True)(function))
except ImportError:

    def compiled(function: Function) -> Function:
        """The function itself."""
        return function
