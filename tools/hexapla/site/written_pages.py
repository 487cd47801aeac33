"""The pages that have a file, parsed when they are asked for."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from hexapla.pages import Page, parse

PageKey = tuple[str, str]  # a language, and a path below its folder


# A page is parsed for what is wrong with it, and again, as MkDocs has it, for what it includes.
parse_page = lru_cache(maxsize=4)(parse)


def parse_includes(text: str, name: Callable[[str], str]) -> Page:
    """A page whose includes have the paths that `name` gives them."""
    page = parse_page(text)
    return page._replace(includes=tuple(each._replace(path=name(each.path)) for each in page.includes))


class WrittenPages(Mapping[PageKey, Page]):
    """The pages that have a file, parsed when they are asked for. Asking raises OSError and UnicodeDecodeError.

    `name` gives the path of what a page includes.
    """

    def __init__(self, files: Mapping[PageKey, Path], name: Callable[[str], str]) -> None:
        self.files = files
        self.name = name
        self._parsed: dict[PageKey, Page] = {}

    def __getitem__(self, key: PageKey) -> Page:
        if key not in self._parsed:
            self._parsed[key] = parse_includes(self.text(key), self.name)
        return self._parsed[key]

    def text(self, key: PageKey) -> str:
        """A page's text, which is not parsed for it."""
        return self.files[key].read_bytes().decode("utf-8-sig")

    def forget(self, key: PageKey) -> None:
        """Parse a page again when it is asked for the next time."""
        self._parsed.pop(key, None)

    def __contains__(self, key: object) -> bool:
        return key in self.files  # the mapping's own way would parse the page

    def __iter__(self) -> Iterator[PageKey]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)
