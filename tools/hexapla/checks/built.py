"""A built site: every link and every id in its HTML, fragments too."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, normpath
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from hexapla.checks.finding import Finding
from hexapla.checks.nearest import nearest
from hexapla.failure import ConfigError

# By tag: the attribute that names what it leads to or loads.
TARGETS = {
    "a": "href", "area": "href", "link": "href", "img": "src", "script": "src", "iframe": "src", "source": "src",
    "video": "src", "audio": "src",
}
ASKED = ",".join(["[id]", "a[name]", *(f"{tag}[{name}]" for tag, name in TARGETS.items())])
ELSEWHERE = ("http:", "https:", "mailto:", "data:", "//", "javascript:", "tel:")


@dataclass(frozen=True, slots=True)
class Built:
    """One page's targets inside the site, and its ids."""

    targets: frozenset[str]
    ids: frozenset[str]


def check_site(site: Path, prefix: str = "") -> tuple[list[Finding], int]:
    """What leads nowhere in the site below a folder, and how many pages it has.

    `prefix` is the path that the site is served below, as in `https://host/prefix/`. Raises ConfigError.
    """
    if not site.is_dir():
        raise ConfigError(f"{site} is no folder; build the site first, or correct --site")
    files = set(files_below(site))
    pages = {path: read_page((site / path).read_bytes()) for path in sorted(files) if path.endswith((".html", ".htm"))}
    found = [finding for path, page in pages.items() for finding in broken(path, page, pages, files, prefix)]
    if not pages:
        raise ConfigError(f"{site} holds no HTML; build the site first, or correct --site")
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
    targets: set[str] = set()
    ids: set[str] = set()
    for node in LexborHTMLParser(data).css(ASKED):
        tag, attributes = node.tag, node.attributes
        if (name := TARGETS.get(tag or "")) in attributes:
            targets.add(attributes[name] or "")
        ids.add(attributes.get("id") or "")
        if tag == "a":
            ids.add(attributes.get("name") or "")
    inside = frozenset(target for target in targets if not target.lstrip().lower().startswith(ELSEWHERE))
    return Built(inside, frozenset(ids - {""}))


def broken(path: str, page: Built, pages: dict[str, Built], files: set[str], prefix: str) -> Iterator[Finding]:
    """The targets of one page that are nowhere; each is named once."""
    folder = dirname(path)
    for target in sorted(page.targets):
        file, anchor = resolve(path, folder, target, prefix)
        if file is None:
            continue
        place = next((name for name in candidates(file) if name in files), "")
        if not place:
            yield Finding(path, 1, 1, "link-target-missing", f"this leads nowhere: {target!r}", "correct the path")
        elif anchor and place in pages and anchor not in pages[place].ids and anchor != "top":
            near = nearest(anchor, pages[place].ids)
            hint = f"did you mean #{near}?" if near else "name an id it has"
            yield Finding(path, 1, 1, "link-anchor-missing", f"{place} has no id {anchor!r}", hint)


def candidates(file: str) -> tuple[str, ...]:
    """The files that a server answers a path with."""
    return (file, f"{file}/index.html" if file else "index.html", f"{file}.html")


def resolve(path: str, folder: str, target: str, prefix: str) -> tuple[str | None, str]:
    """The file below the site that a target names and the id in it, None for another host or another part of it."""
    file, _, fragment = target.strip().partition("#")
    anchor = unquote(fragment.partition(":~:")[0]) if fragment else ""
    file = file.partition("?")[0]
    if not file:
        return path, anchor
    if ":" in file.split("/", 1)[0]:
        return None, ""
    if "%" in file:
        file = unquote(file)
    if file.startswith("/"):
        inside, lead = file.lstrip("/"), prefix.strip("/")
        if lead and inside != lead and not inside.startswith(f"{lead}/"):
            return None, ""
        inside = inside.removeprefix(lead).lstrip("/")
    else:
        inside = f"{folder}/{file}" if folder else file
    clean = normpath(inside) if inside else ""
    return ("" if clean == "." else clean), anchor
