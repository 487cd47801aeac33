"""Clean pages by language, in three parts that share nothing: for the model, for tuning, for measuring."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = {".md", ".mdx"}
TUNE, HELD_OUT = 2, 3        # of ten parts, by a hash of the page's path; the rest is the model's


@dataclass(frozen=True)
class Pages:
    """The texts of one language."""

    model: tuple[str, ...]
    tune: tuple[str, ...]
    held_out: tuple[str, ...]


def split(root: Path, language: str) -> Pages:
    """The pages under root/language. A page stays in its part when others come or go."""
    parts: dict[str, list[str]] = {"model": [], "tune": [], "held_out": []}
    folder = root / language
    for path in sorted(folder.rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        text = path.read_text("utf-8")
        if sum(1 for character in text if character >= "\x80") < 100:
            continue
        place = hashlib.sha256(path.relative_to(folder).as_posix().encode()).digest()[0] % 10
        part = "tune" if place < TUNE else "held_out" if place < TUNE + HELD_OUT else "model"
        parts[part].append(text)
    return Pages(tuple(parts["model"]), tuple(parts["tune"]), tuple(parts["held_out"]))


def languages(root: Path) -> list[str]:
    """The languages that a folder of pages has: its two-letter folders, English left out."""
    return sorted(path.name for path in root.iterdir() if path.is_dir() and len(path.name) == 2 and path.name != "en")
