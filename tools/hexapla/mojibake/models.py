"""Clean pages to the model of their language: built when first asked for, kept by content."""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hexapla.mojibake import wordlists
from hexapla.mojibake.languages import language_of

if TYPE_CHECKING:
    from hexapla.mojibake.ngrams import Model
    from hexapla.mojibake.tokens import Vocabulary

VERSION = 2            # of the cached form; a change here or in what builds a model makes the old files unread
LISTED = 300_000.0     # characters of running text that a word list counts for; ngrams bounds what that weighs


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
        self._models: dict[str, tuple[Model, Vocabulary] | None] = {}

    def texts(self, language: str) -> tuple[str, ...]:
        """The clean texts in a language."""
        return tuple(self._texts.get(language, ()))

    def model(self, language: str) -> "tuple[Model, Vocabulary] | None":
        """The model of a language and its vocabulary, or None where there are neither pages nor words."""
        if language not in self._models:
            self._models[language] = self._make(language)
        return self._models[language]

    def _make(self, language: str) -> "tuple[Model, Vocabulary] | None":
        texts = sorted(self.texts(language))
        listed = self._listed and wordlists.available()
        if not texts and not listed:
            return None
        from hexapla.mojibake.tokens import Vocabulary

        path = self._path(language, texts, listed)
        if path and (model := _load(path)):
            return model, Vocabulary(model.characters)
        words = wordlists.words(language) if listed else {}      # reading the list takes long: only where it is needed
        if not texts and not words:
            return None
        built = build_model(texts, words)
        if path:
            _save(path, built[0])
        return built

    def _path(self, language: str, texts: Sequence[str], listed: bool) -> Path | None:
        """The file that a model of these texts is kept in, if it is kept."""
        if self._cache is None:
            return None
        digest = hashlib.sha256(f"{VERSION} {language} {listed}".encode())
        for text in texts:
            digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
        return self._cache / f"mojibake-{language}-{digest.hexdigest()[:32]}.npz"


def build_model(texts: list[str], words: dict[str, float]) -> "tuple[Model, Vocabulary]":
    """The model of clean texts in one language, mixed with a word list (word -> share of running text)."""
    import numpy as np

    from hexapla.mojibake.ngrams import build
    from hexapla.mojibake.tokens import SEPARATOR, vocabulary_of

    vocabulary = vocabulary_of([*texts, "".join(words)])
    running = vocabulary.encode(SEPARATOR.join([*texts, ""]))
    listed = vocabulary.encode(SEPARATOR.join([*words, ""])) if words else running[:0]
    lengths = np.array([len(word) + 1 for word in words], dtype=np.int64)
    shares = np.repeat(np.array(list(words.values()), dtype=np.float64), lengths) * LISTED
    nothing = np.zeros(len(running))
    model = build(
        np.concatenate((running, listed)),
        np.concatenate((nothing + 1.0, np.zeros(len(listed)))),
        np.concatenate((nothing, shares)),
        vocabulary.characters,
    )
    return model, vocabulary


def _save(path: Path, model: "Model") -> None:
    """Write the model whole or not at all; a cache that cannot be written is no failure."""
    import numpy as np

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            arrays: dict[str, Any] = model.automaton._asdict()
            np.savez(file, characters=np.frombuffer(model.characters.encode("utf-32-le"), dtype=np.uint32), **arrays)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)


def _load(path: Path) -> "Model | None":
    """The model in a file, or None where there is none or it cannot be read."""
    import numpy as np

    from hexapla.mojibake.ngrams import Automaton, Model

    try:
        with np.load(path, allow_pickle=False) as held:
            arrays: dict[str, Any] = {name: held[name] for name in Automaton._fields}
            arrays["unseen"] = float(arrays["unseen"])
            return Model(held["characters"].tobytes().decode("utf-32-le"), Automaton(**arrays))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
