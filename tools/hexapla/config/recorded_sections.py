"""Which sections of a page have records: those that were translated once, whatever has become of them."""

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from hexapla.config.layout import RECORDS
from hexapla.files import read_text

LINE = re.compile(r"^([^\s#]+)#(\S*) [0-9a-f-]", re.M)  # in the one file of a language
PARAGRAPH = re.compile(r"^\[(.*)\]\nsource ", re.M)  # in the file of a page


class RecordedSections:
    """The ids of the sections that have records, by language and page; a language's file is read when asked for."""

    def __init__(self, root: Path) -> None:
        self.root, self.any = root, (root / RECORDS).is_dir()
        self.files: dict[str, Mapping[str, frozenset[str]]] = {}

    def of(self, language: str, page: str) -> frozenset[str]:
        """The ids of a page's sections that have records, "" for what stands above its first heading."""
        if not self.any:
            return frozenset()
        own = PARAGRAPH.findall(read_records(self.root, f"{RECORDS}/{language}/{page}.txt"))
        return self.of_language(language).get(page, frozenset()) | set(own)

    def of_language(self, language: str) -> Mapping[str, frozenset[str]]:
        """The same of all pages that the one file of a language names."""
        if language not in self.files:
            found: dict[str, set[str]] = defaultdict(set)
            for page, section in LINE.findall(read_records(self.root, f"{RECORDS}/{language}.txt")):
                found[unescape(page)].add(unescape(section))
            self.files[language] = {page: frozenset(ids) for page, ids in found.items()}
        return self.files[language]


def read_records(root: Path, path: str) -> str:
    try:
        return read_text(root, path, errors="replace")
    except OSError:
        return ""


def unescape(name: str) -> str:
    """A page's name or a section's id as it is, from what stands in a language's one file."""
    return name.replace("%20", " ").replace("%25", "%") if "%" in name else name
