"""Clean pages and the language models made of them: a model is built when it is first needed, and kept by content."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from hexapla.mojibake import wordlists
from hexapla.mojibake.languages import language_of

if TYPE_CHECKING:
    from hexapla.mojibake.ngrams import LanguageModel


class Corpus:
    """Clean texts in any languages, and the models made of them.

    cache: a folder for built models, or None to keep them in memory alone.
    listed: whether a word list may help where one is known.
    """

    def __init__(self, texts: Iterable[str] = (), cache: Path | None = None, listed: bool = True) -> None:
        self._texts: dict[str, list[str]] = {}
        for text in texts:
            self._texts.setdefault(language_of(text), []).append(text)
        self._cache = cache
        self._listed = listed
        self._models: dict[str, LanguageModel | None] = {}

    def texts(self, language: str) -> tuple[str, ...]:
        """The clean texts in a language."""
        return tuple(self._texts.get(language, ()))

    def model(self, language: str) -> "LanguageModel | None":
        """The model of a language, or None without pages and without words."""
        if language not in self._models:
            self._models[language] = self._load_or_build(language)
        return self._models[language]

    def _load_or_build(self, language: str) -> "LanguageModel | None":
        texts = sorted(self.texts(language))
        listed = self._listed and wordlists.available()
        if not texts and not listed:
            return None
        from hexapla.mojibake.model_store import build_model, load, path_of, save  # they need numpy

        path = path_of(self._cache, language, texts, listed) if self._cache else None
        if path and (kept := load(path)):
            return kept
        words = wordlists.words(language) if listed else {}      # reading the list takes long: only for a new model
        if not texts and not words:
            return None
        built = build_model(texts, words)
        if path:
            save(path, built)
        return built
