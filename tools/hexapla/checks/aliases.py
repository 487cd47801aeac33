"""Addresses that a page keeps although it has moved: `aliases` in Hugo's front matter."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from posixpath import dirname, join, normpath

from hexapla.files import open_file

HEAD = 4096  # bytes of a page in which its front matter is looked for
LISTED = re.compile(r"^aliases:[ \t]*(?:\[(?P<flow>[^\]]*)\]|\n(?P<block>(?:[ \t]*-[ \t]+[^\n]+\n)+))", re.M)


def aliases(root: Path, pages: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The site paths, without slashes around them, that the pages (name and path) are reached at besides their own."""
    found = set()
    for name, path in pages:
        try:
            with open_file(root, path) as stream:
                head = stream.read(HEAD).decode("utf-8", "replace").replace("\r\n", "\n")
        except OSError:  # the check of that page says so
            continue
        if "\naliases:" in head:
            found |= {normpath(join("/", dirname(name), alias)).strip("/") for alias in listed(head)}
    return frozenset(found)


def listed(head: str) -> Iterator[str]:
    """The entries of a YAML list in either of its forms."""
    for match in LISTED.finditer(head):
        entries = match["flow"].split(",") if match["flow"] is not None else match["block"].split("\n")
        for entry in entries:
            if alias := entry.strip().removeprefix("-").strip().strip("\"'"):
                yield alias
