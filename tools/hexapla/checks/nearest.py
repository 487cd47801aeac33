"""The known name nearest to a misspelt one."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str], cutoff: float = 0.7) -> str:
    """The known name most like `name`, "" if none is like it by `cutoff`, from 0 to 1."""
    matches = get_close_matches(name, [other for other in known if other], 1, cutoff)
    return matches[0] if matches else ""
