"""What a conversion reads and what it leaves: the site's index, and what it did not understand."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

PATH = str  # a page's path below its language's folder, without its ending


class ConversionNote(NamedTuple):
    """Something of a page that was left as it stood, or lost its effect; `kind` names it for counting."""

    kind: str
    path: str
    line: int
    message: str


class LinkIndex(NamedTuple):
    """Where links of a tree lead: the `pages` that they may name, the source's for lacking ones included.

    `ids` maps, for a page, the id that its heading had to the one that it gets; `former` the other way. `reference` is
    the address of the published reference, `documented` the page of it that documents an object.
    """

    pages: frozenset[PATH] = frozenset()
    ids: Mapping[PATH, Mapping[str, str]] = {}
    former: Mapping[PATH, Mapping[str, str]] = {}
    reference: str = ""
    documented: Mapping[str, PATH] = {}


Take = Callable[[str, int, str], None]  # takes a note: its kind, line and message
