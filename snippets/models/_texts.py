"""What readers are told of methods and traits in each language of the guide, from `traits.yml` and `methods.yml`."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "zh", "zh-Hant", "ja")


@cache
def read_texts(name: str) -> Mapping[str, Any]:
    """The texts of `traits` or of `methods`, by key."""
    found: Mapping[str, Any] = yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))
    return found


@cache
def traditional() -> Callable[[str], str]:
    """The conversion of Chinese texts to Traditional Chinese with the guide's own terms."""
    from hexapla import glossary
    from hexapla.hanzi.converter import Converter
    from hexapla.pages import spans

    terms = glossary.parse((FOLDER.parents[1] / "docs" / "glossary.yml").read_text(encoding="utf-8"))
    convert = Converter(glossary.conversions(terms, "zh", "zh-Hant"))
    return lambda text: convert.page(spans(text))


def in_language(texts: Mapping[str, str], language: str = "en") -> str:
    """A text in one of the languages; Traditional Chinese is derived."""
    return traditional()(texts["zh"]) if language == "zh-Hant" else texts[language]


def label(trait: str, language: str = "en") -> str:
    """A trait's name in a sentence: models with ..."""
    return in_language(read_texts("traits")[trait]["label"], language)


def reason(trait: str, language: str = "en") -> str:
    """Why a trait matters."""
    return in_language(read_texts("traits")[trait]["matters"], language)


def title(method: str, language: str = "en") -> str:
    """A method's name."""
    return in_language(read_texts("methods")[method]["title"], language)


def untried_methods() -> dict[str, str]:
    """The methods without a row in the table that a trait says something about, and their sections."""
    return {name: about["section"] for name, about in read_texts("methods").items() if "section" in about}


def remedies(trait: str) -> Iterator[tuple[tuple[str, ...], Mapping[str, str]]]:
    """The methods for which a trait matters, in groups, and what to do then."""
    for methods, texts in read_texts("traits")[trait].get("do", {}).items():
        yield tuple(methods.split()), texts


def remedy(method: str, trait: str = "", language: str = "en") -> str:
    """What to do where a method does not work, because of a trait if one is named; empty if nothing is known."""
    if not trait:
        texts = read_texts("methods").get(method, {}).get("do")
    else:
        texts = next((texts for methods, texts in remedies(trait) if method in methods), None)
    return in_language(texts, language) if texts else ""


def divided_settings(method: str) -> tuple[str, ...]:
    """The settings of which the first that is set is a number that the ranks must divide; none for most methods."""
    return tuple(read_texts("methods").get(method, {}).get("ranks-divide", {}).get("settings", "").split())


def condition(method: str, count: float | str, language: str = "en") -> str:
    """What the ranks of a method must divide, with its number in a configuration."""
    return in_language(read_texts("methods")[method]["ranks-divide"], language).format(count=count)


@cache
def concerned_methods(trait: str) -> frozenset[str]:
    """The methods for which a trait matters."""
    return frozenset(method for methods, _ in remedies(trait) for method in methods)
