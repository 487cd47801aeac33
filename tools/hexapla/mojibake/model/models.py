"""Clean pages and the language models made of them: a model is built when it is first needed, and kept by content."""

from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hexapla.mojibake.model import wordlists
from hexapla.mojibake.model.script_languages import language_of

if TYPE_CHECKING:
    from hexapla.mojibake.model.ngrams import LanguageModel

MODELS = Path(__file__).parent / "models"  # the counts that come with the program, a file a language


class Corpus:
    """Clean texts in any languages, and the models made of them, kept in `cache` if it is given.

    listed: whether a word list may help where one is known; shipped: the folder of counts that come with the program.
    """

    def __init__(
        self, texts: Iterable[str] = (), cache: Path | None = None, listed: bool = True, shipped: Path | None = MODELS
    ) -> None:
        self._texts: dict[str, list[str]] = {}
        for text in texts:
            self._texts.setdefault(language_of(text), []).append(text)
        self._cache = cache
        self._listed = listed
        self._shipped = shipped
        self._models: dict[tuple[str, bool], LanguageModel | None] = {}

    def texts(self, language: str) -> tuple[str, ...]:
        return tuple(self._texts.get(language, ()))

    def model(self, language: str, pages: bool = True) -> "LanguageModel | None":
        """The model of a language, or None without pages and without words; pages: whether they are counted in it."""
        if (language, pages) not in self._models:
            texts = tuple(sorted(self.texts(language))) if pages else ()
            listed, shipped = self._listed and wordlists.has_wordlists(), self._shipped_counts(language)
            some = texts or listed or shipped
            self._models[language, pages] = (
                built_model(language, texts, listed, shipped, self._cache) if some else None)
        return self._models[language, pages]

    def has_choice(self, language: str) -> bool:
        """Whether there are pages in a language, and counts that come with the program to do without them."""
        return language in self._texts and bool(self._shipped_counts(language))

    def _shipped_counts(self, language: str) -> Path | None:
        path = self._shipped / f"{language}.npz" if self._shipped and find_spec("numpy") else None
        return path if path and path.is_file() else None


@lru_cache(maxsize=8)
def built_model(
    language: str, texts: tuple[str, ...], listed: bool, shipped: Path | None, cache: Path | None
) -> "LanguageModel | None":
    """The model of clean texts, of a word list and of shipped counts, cached if it may be. Raises ConfigError."""
    from hexapla.mojibake.model.model_store import (  # they need numpy
        build_model,
        load_counts,
        load_model,
        path_of,
        save_model,
    )

    path = path_of(cache, language, texts, listed, shipped) if cache else None
    if path and (kept := load_model(path)):
        return kept
    counts = load_counts(shipped) if shipped else None
    words = wordlists.words_of_language(language) if listed else {}  # reading the list takes long
    if not texts and not words and not counts:
        return None
    built = build_model(texts, words, counts)
    if path:
        save_model(path, built)
    return built
