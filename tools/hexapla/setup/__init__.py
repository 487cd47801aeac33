"""Set a project up where the user stands: what is there, and what has to be written."""

from importlib.resources import files


def read_template(path: str) -> str:
    """The text of a file to write, by its path below this room."""
    return (files(__name__) / path).read_text(encoding="utf-8")
