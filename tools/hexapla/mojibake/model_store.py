"""Language models built from texts and kept in files, one a language and content of its pages."""

import hashlib
import io
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from hexapla.files import write
from hexapla.mojibake.ngrams import Automaton, LanguageModel, build
from hexapla.mojibake.tokens import SEPARATOR, Vocabulary, vocabulary_of

VERSION = 2            # of the cached form; raise it when a change makes another model of the same texts
LISTED = 300_000.0     # characters of running text that a word list counts for; ngrams bounds what that weighs


def path_of(folder: Path, language: str, texts: Sequence[str], listed: bool) -> Path:
    """The file that a model of these texts is kept in; `listed` says whether a word list is mixed in."""
    digest = hashlib.sha256(f"{VERSION} {language} {listed}".encode())
    for text in texts:
        digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    return folder / f"mojibake-{language}-{digest.hexdigest()[:32]}.npz"


def build_model(texts: Sequence[str], words: dict[str, float]) -> LanguageModel:
    """Build the model of clean texts in one language, mixed with a word list (word -> share of running text)."""
    vocabulary = vocabulary_of([*texts, "".join(words)])
    running = vocabulary.encode(SEPARATOR.join([*texts, ""]))
    listed = vocabulary.encode(SEPARATOR.join([*words, ""])) if words else running[:0]
    lengths = np.array([len(word) + 1 for word in words], dtype=np.int64)
    shares = np.repeat(np.array(list(words.values()), dtype=np.float64), lengths) * LISTED
    zeros = np.zeros(len(running))
    return build(
        np.concatenate((running, listed)),
        np.concatenate((zeros + 1.0, np.zeros(len(listed)))),
        np.concatenate((zeros, shares)),
        vocabulary,
    )


def save(path: Path, model: LanguageModel) -> None:
    """Write a model to a file; a cache that cannot be written is no failure."""
    arrays: dict[str, Any] = model.automaton._asdict()
    data = io.BytesIO()
    np.savez(data, characters=np.frombuffer(model.vocabulary.characters.encode("utf-32-le"), dtype=np.uint32), **arrays)
    with suppress(OSError):
        write(path, data.getvalue())


def load(path: Path) -> LanguageModel | None:
    """Read a model from a file; None for a file that is missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as held:
            arrays: dict[str, Any] = {name: held[name] for name in Automaton._fields}
            arrays["unseen"] = float(arrays["unseen"])
            return LanguageModel(Vocabulary(held["characters"].tobytes().decode("utf-32-le")), Automaton(**arrays))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
