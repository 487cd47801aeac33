"""Language models built from texts and kept in files, one a language and content of its pages."""

import hashlib
import io
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from hexapla.errors import ConfigError
from hexapla.installation import own_folder
from hexapla.mojibake.model import forward_backward, gram_counts
from hexapla.mojibake.model.ngrams import Automaton, LanguageModel, build_automaton

VERSION = 4            # of the cached form; raise it when a change makes another model of the same texts
COUNTS_VERSION = 1     # of the files that come with the program
LISTED = 300_000.0     # characters of running text that a word list counts for; ngrams bounds what that weighs
# What an occurrence in the pages at hand may weigh beside one in the text that the shipped counts were taken from.
WEIGHTS = (1.0, 2.0, 4.0, 8.0)
HELD_OUT = 5           # every so many-th page at hand is held out, and tells which of the weights foretells it best
TRIED = 500_000        # characters of the others that are counted for that
# Nats a token by which a lower weight may foretell less: pages to repair are less like those at hand than these are
# like each other. Chosen on pages that nothing is reported on.
NEARLY = 0.03


def path_of(folder: Path, language: str, texts: Sequence[str], listed: bool, shipped: Path | None) -> Path:
    """The file that a model of these texts is kept in; `listed` says whether a word list is mixed in."""
    counts = hashlib.sha256(shipped.read_bytes()).hexdigest() if shipped else ""
    digest = hashlib.sha256(f"{VERSION} {language} {listed} {counts}".encode())
    for text in texts:
        digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    return folder / f"mojibake-{language}-{digest.hexdigest()[:32]}.npz"


def count_all(
    texts: Sequence[str], words: dict[str, float], vocabulary: gram_counts.Vocabulary
) -> list[gram_counts.Grams]:
    """The n-grams of clean texts in one language, and of a word list (word -> share of running text)."""
    running = vocabulary.encode(gram_counts.SEPARATOR.join([*texts, ""]))
    listed = vocabulary.encode(gram_counts.SEPARATOR.join([*words, ""])) if words else running[:0]
    lengths = np.array([len(word) + 1 for word in words], dtype=np.int64)
    shares = np.repeat(np.array(list(words.values()), dtype=np.float64), lengths) * LISTED
    zeros = np.zeros(len(running))
    return gram_counts.count_grams(
        np.concatenate((running, listed)),
        np.concatenate((zeros + 1.0, np.zeros(len(listed)))),
        np.concatenate((zeros, shares)),
    )


def build_model(
    texts: Sequence[str], words: dict[str, float], shipped: gram_counts.Counts | None = None
) -> LanguageModel:
    """Build the model of clean texts in one language, mixed with a word list and with the counts that come with us."""
    vocabulary = gram_counts.vocabulary_of([*texts, "".join(words), shipped.vocabulary.characters if shipped else ""])
    if not shipped:
        return build_automaton(count_all(texts, words, vocabulary), vocabulary)
    theirs = gram_counts.in_vocabulary(shipped.grams, shipped.vocabulary, vocabulary)
    if not texts and not words:
        return build_automaton(theirs, vocabulary)
    weight = _weight_of_pages(texts, words, theirs, vocabulary)
    return build_automaton(gram_counts.combine_grams(count_all(texts, words, vocabulary), theirs), vocabulary, weight)


def _weight_of_pages(texts: Sequence[str], words: dict[str, float], theirs: list[gram_counts.Grams],
                     vocabulary: gram_counts.Vocabulary) -> float:
    """The lowest weight that foretells held-out pages nearly as well as the best one; 1 for a single page."""
    held = [vocabulary.encode(text) for text in texts[::HELD_OUT]]
    others = [text for number, text in enumerate(texts) if number % HELD_OUT]
    if not others:
        return 1.0
    most = TRIED // len(others) + 1
    grams = gram_counts.combine_grams(count_all([text[:most] for text in others], words, vocabulary), theirs)
    tokens = sum(map(len, held))
    foretold = {}
    for weight in WEIGHTS:
        model = build_automaton(grams, vocabulary, weight)
        total = sum(forward_backward.measure_likelihood(model.automaton, each) for each in held)
        foretold[weight] = total / max(tokens, 1)
    return min(weight for weight in WEIGHTS if foretold[weight] >= max(foretold.values()) - NEARLY)


def load_counts(path: Path) -> gram_counts.Counts:
    """Read counts from a file. Raises ConfigError for one that is damaged or of another version."""
    try:
        with np.load(path, allow_pickle=False) as held:
            if int(held["version"]) != COUNTS_VERSION:
                raise ConfigError(f"{path}: is a model of another version; install hexapla again")
            vocabulary = gram_counts.Vocabulary(held["characters"].tobytes().decode("utf-32-le"))
            grams = gram_counts.from_arrays(held, gram_counts.FIRST_CHARACTER + len(vocabulary.characters))
    except (OSError, ValueError, KeyError, EOFError, IndexError, zlib.error, zipfile.BadZipFile) as error:
        raise ConfigError(f"{path}: is no model ({error}); install hexapla again") from error
    return gram_counts.Counts(vocabulary, grams)


def save_model(path: Path, model: LanguageModel) -> None:
    """Write a model to a file; a cache that cannot be written is no failure."""
    arrays: dict[str, Any] = model.automaton._asdict()
    data = io.BytesIO()
    np.savez(data, characters=np.frombuffer(model.vocabulary.characters.encode("utf-32-le"), dtype=np.uint32), **arrays)
    with suppress(OSError):
        own_folder(path.parent).write(path.name, data.getvalue())


def load_model(path: Path) -> LanguageModel | None:
    """Read a model from a file; None for a file that is missing, damaged or not made by this installation."""
    try:
        with np.load(io.BytesIO(own_folder(path.parent).read(path.name)), allow_pickle=False) as held:
            arrays: dict[str, Any] = {name: held[name] for name in Automaton._fields}
            arrays["unseen"] = float(arrays["unseen"])
            characters = held["characters"].tobytes().decode("utf-32-le")
            return LanguageModel(gram_counts.Vocabulary(characters), Automaton(**arrays))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
