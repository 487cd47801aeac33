"""The groups of a long table in a page's contents, each below the heading that the table stands under."""

import re
from collections.abc import Iterator, Sequence
from typing import TypedDict

TAG = re.compile(r"<[^<>]*>")
HEADING_OR_GROUP = re.compile(
    r'<h[1-6]\b[^<>]* id="(?P<heading>[^"]+)"|<th scope="rowgroup" id="(?P<group>[^"]+)"[^<>]*>(?P<name>.*?)</th>', re.S
)


class ContentsEntry(TypedDict):
    """An entry of a page's contents, as the toc extension has it."""

    id: str
    level: int
    name: str
    children: list["ContentsEntry"]


def add_row_groups(tokens: Sequence[ContentsEntry], html: str) -> None:
    """Add the groups of rows that have an id to the entries of the toc extension.

    >>> tokens = [{"id": "all", "level": 2, "name": "All", "children": []}]
    >>> add_row_groups(tokens, '<h2 id="all">All</h2> ... <th scope="rowgroup" id="one" colspan="2"><a>One</a></th>')
    >>> tokens[0]["children"]
    [{'id': 'one', 'level': 3, 'name': 'One', 'children': []}]
    """
    entries, above = {each["id"]: each for each in list_entries(tokens)}, None
    for found in HEADING_OR_GROUP.finditer(html):
        if found["heading"]:
            above = entries.get(found["heading"], above)
        elif above:
            name = TAG.sub("", found["name"])
            above["children"].append({"id": found["group"], "level": above["level"] + 1, "name": name, "children": []})


def list_entries(tokens: Sequence[ContentsEntry]) -> Iterator[ContentsEntry]:
    """The entries of a page's contents with all below them."""
    for each in tokens:
        yield each
        yield from list_entries(each["children"])
