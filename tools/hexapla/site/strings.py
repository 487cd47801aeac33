"""The site's own sentences in the reader's language."""

from functools import lru_cache
from importlib.resources import files

import yaml


@lru_cache(maxsize=1)
def table() -> dict[str, dict[str, str]]:
    """All sentences by language, then by name."""
    text = files("hexapla.site").joinpath("strings.yml").read_text(encoding="utf-8")
    loaded: dict[str, dict[str, str]] = yaml.safe_load(text)
    return loaded


def say(language: str, name: str, **values: object) -> str:
    """The sentence `name` in `language`, or in English where that language has none, with its values put in."""
    sentences = table()
    return sentences.get(language, sentences["en"])[name].format(**values)
