"""What the command tells its user in one sentence: with exit status 2, or with 3 where a defect is its own."""

import traceback
from pathlib import Path


class ConfigError(ValueError):
    """A configuration that cannot be worked with; the message says which file, what, and what to do."""


def failure_place(error: BaseException) -> str:
    """The kind of an error that nobody expected, and where in the program it was raised.

    >>> failure_place(KeyError())
    'KeyError'
    """
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
