"""Which sections of a page have records: those that were translated once, whatever has become of them."""

import re
from pathlib import Path

from hexapla.config.layout import RECORDS
from hexapla.files import read_text

PARAGRAPH = re.compile(r"^\[(.*)\]\nsource ", re.M)


def recorded_sections(root: Path, language: str, page: str) -> frozenset[str]:
    """The ids of a page's sections that have records, "" for what stands above its first heading."""
    try:
        return frozenset(PARAGRAPH.findall(read_text(root, f"{RECORDS}/{language}/{page}.txt", errors="replace")))
    except OSError:
        return frozenset()
