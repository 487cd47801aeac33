"""Count the n-grams that come with the program: `python -m benchmarks.mojibake.train DIR...`.

Each DIR holds clean documentation by language, DIR/<language>/**: Markdown, notebooks, of which the cells of text are
read, and PO files, of which the finished translations are. Chinese is counted in both scripts, the second one converted
by OpenCC. From four characters on, a row of them that stands only once is left out: it says little, and no text can be
put together from what is kept. The files go to tools/hexapla/mojibake/model/models, whose SOURCES.md says what they
were counted in.
"""

import json
import sys
from pathlib import Path

import polib  # type: ignore[import-untyped]
from hexapla.hanzi import traditional
from hexapla.mojibake.model.gram_counts import Counts, pruned
from hexapla.mojibake.model.model_store import counted, save_counts
from hexapla.mojibake.model.models import MODELS
from hexapla.mojibake.model.tokens import vocabulary_of

from benchmarks.mojibake.pages import SUFFIXES

LEAST = {  # how often a row of one to six characters has to stand there, by language
    **dict.fromkeys(("ja", "ko", "ru"), (1, 1, 1, 2, 2, 2)),
    "zh": (1, 1, 2, 3, 3, 3),  # in two scripts: more would be over 4 MB
}


def count_texts(texts: list[str], least: tuple[int, ...]) -> Counts:
    """The counts of texts in one language, as they are kept."""
    vocabulary = vocabulary_of(texts)
    return Counts(vocabulary, pruned(counted(texts, {}, vocabulary), least))


def texts_of(folders: list[Path], language: str) -> list[str]:
    """The texts of a language below some folders."""
    files = (path for folder in folders for path in sorted((folder / language).rglob("*")))
    texts = [text for path in files if (text := text_of(path))]
    return [*texts, *map(traditional, texts)] if language == "zh" else texts


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
