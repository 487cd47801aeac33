"""The name somebody may have meant."""

from collections.abc import Iterable

LONGEST = 200  # characters of a name that somebody wrote; difflib's time grows with the square of them


def nearest(name: str, known: Iterable[str], cutoff: float = 0.7) -> str:
    """The known name most like `name`, "" where none is."""
    if len(name) > LONGEST:
        return ""
    from difflib import get_close_matches  # most trees name nothing that is not there

    matches = get_close_matches(name, [other for other in known if 0 < len(other) <= LONGEST], 1, cutoff)
    return matches[0] if matches else ""
