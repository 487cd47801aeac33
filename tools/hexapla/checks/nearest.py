"""The known name nearest to a misspelt one."""

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 200  # characters of a name that somebody wrote; difflib's time grows with the square of them


def nearest_name(name: str, known: Iterable[str], cutoff: float = 0.7) -> str:
    """The known name most like `name`, "" if none is like it by `cutoff`, from 0 to 1, or it is too long to compare."""
    if len(name) > LONGEST:
        return ""
    matches = get_close_matches(name, [other for other in known if 0 < len(other) <= LONGEST], 1, cutoff)
    return matches[0] if matches else ""
