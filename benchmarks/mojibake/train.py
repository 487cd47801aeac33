"""Count the n-grams that come with the program: `python -m benchmarks.mojibake.train DIR...`.

Each DIR holds clean documentation by language, DIR/<language>/**: Markdown, notebooks, of which the cells of text are
read, and PO files, of which the finished translations are. Chinese is counted in both scripts, the second one converted
by OpenCC. From four characters on, a row of them that stands only once is left out: it says little, and no text can be
put together from what is kept. The files go to tools/hexapla/mojibake/model/models, whose SOURCES.md says what they
were counted in.
"""

import io
import json
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polib  # type: ignore[import-untyped]
from hexapla.files import write_file
from hexapla.hanzi.converter import to_traditional
from hexapla.mojibake.model.gram_counts import Counts, Grams, vocabulary_of
from hexapla.mojibake.model.model_store import COUNTS_VERSION, count_all
from hexapla.mojibake.model.models import MODELS
from numpy.typing import NDArray

from benchmarks.mojibake.pages import SUFFIXES

MOST = 255   # the highest count that a file holds
LEAST = {  # how often a row of one to six characters has to stand there, by language
    **dict.fromkeys(("ja", "ko", "ru"), (1, 1, 1, 2, 2, 2)),
    "zh": (1, 1, 2, 3, 3, 3),  # in two scripts: more would be over 4 MB
}


def count_texts(texts: list[str], least: tuple[int, ...]) -> Counts:
    """The counts of texts in one language, as they are kept."""
    vocabulary = vocabulary_of(texts)
    return Counts(vocabulary, pruned(count_all(texts, {}, vocabulary), least))


def pruned(grams: Sequence[Grams], least: Sequence[int]) -> list[Grams]:
    """The grams that stand in running text at least so often, by order; `least` does not fall from order to order."""
    kept_before, found = np.zeros(1, dtype=np.int64), []
    for gram, often in zip(grams, least, strict=True):
        kept = (gram.running >= often) & (kept_before[gram.context] >= 0) & (kept_before[gram.suffix] >= 0)
        found.append(Grams(
            kept_before[gram.context[kept]], gram.token[kept], kept_before[gram.suffix[kept]],
            gram.running[kept], gram.listed[kept], gram.pages[kept],
        ))
        kept_before = np.where(kept, np.cumsum(kept) - 1, -1)
    return found


def to_arrays(grams: Sequence[Grams]) -> dict[str, NDArray[np.generic]]:
    """The arrays of a file."""
    arrays: dict[str, NDArray[np.generic]] = {}
    contexts = 1
    for order, gram in enumerate(grams, 1):
        arrays[f"children{order}"] = np.bincount(gram.context, minlength=contexts).astype(np.uint16)
        arrays[f"tokens{order}"] = gram.token.astype(np.uint16)
        arrays[f"counts{order}"] = np.minimum(gram.running, MOST).astype(np.uint8)
        contexts = len(gram.token)
    return arrays


def save_counts(path: Path, counts: Counts) -> None:
    """Write counts to a file."""
    data = io.BytesIO()
    arrays: dict[str, Any] = to_arrays(counts.grams)
    characters = np.frombuffer(counts.vocabulary.characters.encode("utf-32-le"), dtype=np.uint32)
    arrays |= {"version": np.array(COUNTS_VERSION, dtype=np.uint16), "characters": characters}
    with zipfile.ZipFile(data, "w", zipfile.ZIP_LZMA) as archive:  # a fifth smaller than numpy's own
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    write_file(path, data.getvalue())


def texts_of(folders: list[Path], language: str) -> list[str]:
    """The texts of a language below some folders."""
    files = (path for folder in folders for path in sorted((folder / language).rglob("*")))
    texts = [text for path in files if (text := text_of(path))]
    return [*texts, *map(to_traditional, texts)] if language == "zh" else texts


def text_of(path: Path) -> str:
    """The text of a page, a notebook or a file of translations; '' for anything else."""
    if path.suffix in SUFFIXES:
        return path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text("utf-8"))["cells"]
        return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    if path.suffix == ".po":
        return "\n\n".join(entry.msgstr for entry in polib.pofile(str(path)).translated_entries())
    return ""


if __name__ == "__main__":
    for language, least in LEAST.items():
        counts = count_texts(texts_of([Path(name) for name in sys.argv[1:]], language), least)
        save_counts(MODELS / f"{language}.npz", counts)
        print(language, [len(gram.token) for gram in counts.grams], (MODELS / f"{language}.npz").stat().st_size)
