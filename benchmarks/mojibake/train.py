"""Count the n-grams that come with the program: `python -m benchmarks.mojibake.train DIR...`.

Each DIR holds clean Markdown by language, DIR/<language>/**/*.md. Chinese is counted in both scripts, the second one
converted by OpenCC. From four characters on, a row of them that stands only once is left out: it says little, and no
text can be put together from what is kept. The files go to tools/hexapla/mojibake/models, whose SOURCES.md says what
they were counted in.
"""

import sys
from pathlib import Path

from hexapla.hanzi import traditional
from hexapla.mojibake.gram_counts import Counts, pruned
from hexapla.mojibake.model_store import counted, save_counts
from hexapla.mojibake.models import MODELS
from hexapla.mojibake.tokens import vocabulary_of

from benchmarks.mojibake.pages import SUFFIXES

LEAST = (1, 1, 1, 2, 2, 2)  # how often a row of one to six characters has to stand there


def count_texts(texts: list[str]) -> Counts:
    """The counts of texts in one language, as they are kept."""
    vocabulary = vocabulary_of(texts)
    return Counts(vocabulary, pruned(counted(texts, {}, vocabulary), LEAST))


def texts_of(folders: list[Path], language: str) -> list[str]:
    """The pages of a language below some folders."""
    files = (path for folder in folders for path in sorted((folder / language).rglob("*")))
    texts = [path.read_text("utf-8") for path in files if path.suffix in SUFFIXES]
    return [*texts, *map(traditional, texts)] if language == "zh" else texts


if __name__ == "__main__":
    for language in ("ja", "ko", "ru", "zh"):
        counts = count_texts(texts_of([Path(name) for name in sys.argv[1:]], language))
        save_counts(MODELS / f"{language}.npz", counts)
        print(language, [len(gram.token) for gram in counts.grams], (MODELS / f"{language}.npz").stat().st_size)
