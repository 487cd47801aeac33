"""The tables that come with the conversion: words of Taiwan, and phrases that OpenCC's longest match would cut."""

from functools import cache
from hashlib import sha256
from pathlib import Path

# Placeholders: code points that are no characters, so in no page, for what the conversion may not change or cross.
BOUNDARY = "\ufdd0"  # between words of OpenCC's output, which no phrase of its second step can cross
EDGE = "\ufdd1"      # before and after a rendering in Latin letters, which a space parts from Chinese
CODE = "\ufdd2"      # a piece of inline code
VERBATIM = "\ufdd3"  # what is neither prose nor inline code
ROW, COLUMN, FUNCTION = "\ufdd4", "\ufdd5", "\ufdd7"  # 列, 欄 and 函式, decided before the conversion
TAIWAN_WORDS = Path(__file__).with_name("taiwan.txt")
BOUNDARIES = Path(__file__).with_name("boundaries.txt")


def read_rows(file: Path) -> list[list[str]]:
    """The rows of a table, split at spaces."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.split(" ") for line in lines if line and not line.startswith("#")]


@cache
def taiwan_words() -> dict[str, str]:
    """Taiwan's words by the mainland's; CODE is inline code beside a word, with a space between them or without."""
    words: dict[str, str] = {}
    for word, converted, *_ in read_rows(TAIWAN_WORDS):
        words[word.replace("`", CODE)] = converted.replace("`", CODE)
        if "`" in word:
            words[space_code(word)] = space_code(converted)
    return words


def space_code(word: str) -> str:
    """A word with inline code beside it, a space between them."""
    return f"{CODE} {word[1:]}" if word.startswith("`") else f"{word[:-1]} {CODE}"


@cache
def read_boundaries() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The words of the phrases that OpenCC's longest match would cut elsewhere, and in Traditional characters."""
    return tuple((tuple(simple.split("|")), tuple(other.split("|"))) for simple, other in read_rows(BOUNDARIES))


@cache
def tables_digest() -> str:
    return sha256(TAIWAN_WORDS.read_bytes() + BOUNDARIES.read_bytes()).hexdigest()
