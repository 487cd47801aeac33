"""The site's own sentences (its user interface) in the reader's language."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from string import Formatter

import yaml

from hexapla.config.project import Project
from hexapla.errors import ConfigError
from hexapla.files import read_text
from hexapla.translation.new_language import strings_path
from hexapla.yaml_text import load_table, load_yaml

_OF_PROJECT: dict[str, dict[str, str]] = {}


@lru_cache(maxsize=1)
def shipped_sentences() -> dict[str, dict[str, str]]:
    """All sentences that Hexapla ships, by language, then by name."""
    return load_table(__package__, "strings.yml")


def register_project_strings(project: Project) -> None:
    """Register a project's sentences in the languages that have a file of them. Raises ConfigError."""
    for language in project.languages:
        file = project.root / strings_path(language.code)
        text = read_text(file.parent, file, errors="replace") if file.is_file() else ""
        if text and (mistake := register_sentences(language.code, text)):
            raise ConfigError(f"{file}: {mistake}")


def register_sentences(language: str, text: str) -> str:
    """Register sentences given as YAML, those that are not empty. Returns what is wrong with them, "" for nothing."""
    try:
        given = load_yaml(text) or {}
    except yaml.YAMLError:
        return "is not YAML; correct it"
    if not isinstance(given, Mapping):
        return "is no list of names and sentences; write `name: sentence`"
    filled = {str(name): str(sentence) for name, sentence in given.items() if sentence}
    english = shipped_sentences()["en"]
    for name, sentence in filled.items():
        if name not in english:
            return f"has a sentence {name!r} that the site does not say; remove it"
        if find_placeholders(sentence) - find_placeholders(english[name]):
            return f"has values in braces in {name!r} that the English does not have; write {english[name]!r} anew"
    _OF_PROJECT[language] = filled
    return ""


def find_placeholders(sentence: str) -> set[str]:
    """The names of the values that a sentence has placeholders for."""
    try:
        return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}
    except ValueError:
        return {"{"}


def sentences_of(language: str) -> dict[str, str]:
    """The sentences that a language has, by name: its readers get the English ones for the others."""
    return shipped_sentences().get(language, {}) | _OF_PROJECT.get(language, {})


def say_sentence(language: str, name: str, **values: object) -> str:
    """The sentence `name` in `language`, or in English where that language has none, with its values put in."""
    sentence = _OF_PROJECT.get(language, {}).get(name) or shipped_sentences().get(language, {}).get(name)
    return (sentence or shipped_sentences()["en"][name]).format(**values)


def say_list(language: str, names: Iterable[str]) -> str:
    """Names as a sentence in `language` lists them, each once: `CPU, NVIDIA GPU and TPU`."""
    *first, last = dict.fromkeys(names) or [""]
    head = say_sentence(language, "list-comma").join(first)
    return head + say_sentence(language, "list-last") + last if first else last
