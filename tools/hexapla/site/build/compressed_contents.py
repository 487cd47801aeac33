"""Rendered contents of pages, compressed: all are held until the last one is known, and most of a page is its HTML."""

import pickle
import zlib
from collections.abc import Iterator, MutableMapping

from hexapla.site.language_site import Item
from hexapla.site.page.page_renderer import PageContent

LEVEL = 1  # of compression: the fastest makes a tenth of a page


class PackedContents(MutableMapping[Item, PageContent]):
    """Contents by page; asking for one unpacks it."""

    def __init__(self) -> None:
        self._packed: dict[Item, bytes] = {}

    def __getitem__(self, item: Item) -> PageContent:
        content: PageContent = pickle.loads(zlib.decompress(self._packed[item]))  # what this process has packed
        return content

    def __setitem__(self, item: Item, content: PageContent) -> None:
        self._packed[item] = zlib.compress(pickle.dumps(content), LEVEL)

    def __delitem__(self, item: Item) -> None:
        del self._packed[item]

    def __contains__(self, item: object) -> bool:
        return item in self._packed  # the mapping's own way would unpack it

    def __iter__(self) -> Iterator[Item]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)
