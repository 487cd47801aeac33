"""The site's own sentences in the reader's language."""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from string import Formatter

import yaml

_LEARNED: dict[str, dict[str, str]] = {}


@lru_cache(maxsize=1)
def table() -> dict[str, dict[str, str]]:
    """All sentences that hexapla brings, by language, then by name."""
    text = files("hexapla.site").joinpath("strings.yml").read_text(encoding="utf-8")
    loaded: dict[str, dict[str, str]] = yaml.safe_load(text)
    return loaded


def learn(language: str, text: str) -> str:
    """Take a project's own sentences, those that are not empty. What is wrong with them, "" for nothing."""
    try:
        given = yaml.safe_load(text) or {}
    except yaml.YAMLError:
        return "is not YAML; correct it"
    if not isinstance(given, Mapping):
        return "is no list of names and sentences; write `name: sentence`"
    sentences = {str(name): str(sentence) for name, sentence in given.items() if sentence}
    english = table()["en"]
    for name, sentence in sentences.items():
        if name not in english:
            return f"has a sentence {name!r} that the site does not say; remove it"
        if fields(sentence) - fields(english[name]):
            return f"has values in braces in {name!r} that the English does not have; write {english[name]!r} anew"
    _LEARNED[language] = sentences
    return ""


def fields(sentence: str) -> set[str]:
    """The values that a sentence has places for."""
    try:
        return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}
    except ValueError:
        return {"{"}


def say(language: str, name: str, **values: object) -> str:
    """The sentence `name` in `language`, or in English where that language has none, with its values put in."""
    sentences = table()["en"] | table().get(language, {}) | _LEARNED.get(language, {})
    return sentences[name].format(**values)
