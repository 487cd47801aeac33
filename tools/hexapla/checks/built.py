"""A built site: every link and every id in its HTML, fragments too."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from hexapla.checks.finding import Finding
from hexapla.checks.nearest import nearest

TARGETS = {"a": "href", "img": "src", "link": "href", "script": "src", "iframe": "src", "source": "src", "area": "href"}
SELECTOR = "a[href],img[src],link[href],script[src],iframe[src],source[src],area[href]"
NO_PAGE = {"preconnect", "dns-prefetch", "canonical", "alternate"}


@dataclass(frozen=True, slots=True)
class Built:
    """One page's links, as (target, tag), and its ids."""

    links: tuple[tuple[str, str], ...]
    ids: frozenset[str]


def check_site(site: Path, prefix: str = "") -> tuple[list[Finding], int]:
    """What leads nowhere in the site below a folder, and how many pages it has.

    `prefix` is the path that the site is served below, as in `https://host/prefix/`.
    """
    files = set(files_below(site))
    pages = {path: read_page((site / path).read_bytes()) for path in sorted(files) if path.endswith((".html", ".htm"))}
    found = [finding for path, page in pages.items() for finding in broken(path, page, pages, files, prefix)]
    return found, len(pages)


def files_below(site: Path) -> Iterator[str]:
    """All files, as paths with forward slashes; links to folders are not followed."""
    base = str(site)
    for folder, _, names in os.walk(site):
        inside = folder[len(base) :].strip(os.sep).replace(os.sep, "/")
        for name in names:
            yield f"{inside}/{name}" if inside else name


def read_page(data: bytes) -> Built:
    """One page. Any bytes make one."""
    parser = LexborHTMLParser(data)
    links: dict[tuple[str, str], None] = {}
    for node in parser.css(SELECTOR):
        attributes = node.attributes
        if node.tag == "link" and NO_PAGE & set((attributes.get("rel") or "").split()):
            continue
        links[attributes.get(TARGETS[str(node.tag)]) or "", str(node.tag)] = None
    ids = {node.attributes["id"] for node in parser.css("[id]")}
    ids |= {node.attributes["name"] for node in parser.css("a[name]")}
    return Built(tuple(links), frozenset(name for name in ids if name))


def broken(path: str, page: Built, pages: dict[str, Built], files: set[str], prefix: str) -> Iterator[Finding]:
    """The links of one page that lead nowhere."""
    for target, tag in page.links:
        file, anchor = resolve(path, target, prefix)
        if file is None:
            continue
        place = next((name for name in (file, join(file, "index.html").lstrip("/"), f"{file}.html") if name in files), "")
        if not place:
            yield Finding(path, 1, 1, "link-target-missing", f"<{tag}> leads nowhere: {target!r}", "correct the path")
        elif anchor and tag == "a" and place in pages and anchor not in pages[place].ids and anchor != "top":
            near = nearest(anchor, pages[place].ids)
            hint = f"did you mean #{near}?" if near else "name an id it has"
            yield Finding(path, 1, 1, "link-anchor-missing", f"{place} has no id {anchor!r}", hint)


def resolve(path: str, target: str, prefix: str) -> tuple[str | None, str]:
    """The file below the site that a target names and the id in it, None for another host."""
    target = target.strip()
    if not target or ":" in target.split("/")[0].split("#")[0].split("?")[0] or target.startswith("//"):
        return None, ""
    file, _, fragment = target.partition("#")
    anchor = unquote(fragment.partition(":~:")[0])
    file = unquote(file.partition("?")[0])
    if not file:
        return path, anchor
    if file.startswith("/"):
        inside = file.lstrip("/")
        lead = prefix.strip("/")
        if lead and inside != lead and not inside.startswith(f"{lead}/"):
            return None, ""
        inside = inside.removeprefix(lead).lstrip("/")
    else:
        inside = join(dirname(path), file)
    clean = normpath(inside) if inside else ""
    return ("" if clean == "." else clean), anchor
