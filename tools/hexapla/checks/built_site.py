"""Check a built site: every link and every id in its HTML, fragments too, and references that became no link."""

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from posixpath import dirname, normpath
from typing import NamedTuple
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from hexapla.checks.finding import Finding
from hexapla.checks.nearest import nearest_name
from hexapla.errors import ConfigError
from hexapla.files import read_file

# By tag: the attribute that names what it links to or loads.
TARGETS = {
    "a": "href", "area": "href", "link": "href", "img": "src", "script": "src", "iframe": "src", "source": "src",
    "video": "src", "audio": "src",
}
LEADING = "[href],[src],a[name]"
ELSEWHERE = ("http:", "https:", "mailto:", "data:", "//", "javascript:", "tel:")


REFERENCE = re.compile(r"(?<![\w\])])\[[^\[\]]+\]\[[^\[\]\s]*\]")  # of Markdown, that its reader sees
NO_TEXT = ["code", "pre", "samp", "script", "style", "textarea"]


class HtmlPage(NamedTuple):
    """The link targets of a page inside the site, its ids, and the references that are no links."""

    targets: frozenset[str]
    ids: frozenset[str]
    unresolved: frozenset[str] = frozenset()


def check_site(site: Path, prefix: str = "") -> tuple[list[Finding], int]:
    """The broken links of the site below a folder, and how many pages it has.

    `prefix` is the path that the site is served below, as in `https://host/prefix/`. Raises ConfigError.
    """
    if not site.is_dir():
        raise ConfigError(f"{site} is no folder; build the site first, or correct --site")
    files = set(files_below(site))
    pages = {path: read_page(read_file(site, path)) for path in sorted(files) if path.endswith((".html", ".htm"))}
    if not pages:
        raise ConfigError(f"{site} holds no HTML; build the site first, or correct --site")

    @cache
    def served(path: str) -> str:
        """The file that a server answers a path with, "" for none; pages of one site name the same few."""
        return next((name for name in (path, f"{path}/index.html".lstrip("/"), f"{path}.html") if name in files), "")

    found = [finding for path, page in pages.items() for finding in check_page(path, page, pages, served, prefix)]
    return found, len(pages)


def files_below(site: Path) -> Iterator[str]:
    """All files, as paths with forward slashes; links to folders are not followed."""
    base = str(site)
    for folder, _, names in os.walk(site):
        inside = folder[len(base) :].strip(os.sep).replace(os.sep, "/")
        for name in names:
            yield f"{inside}/{name}" if inside else name


def read_page(data: bytes) -> HtmlPage:
    """Parse one page; any bytes are HTML."""
    tree = LexborHTMLParser(data)
    ids = {node.id or "" for node in tree.css("[id]")}
    targets: set[str] = set()
    for node in tree.css(LEADING):
        tag, attributes = node.tag, node.attributes
        if (name := TARGETS.get(tag or "")) in attributes:
            targets.add(attributes[name] or "")
        if tag == "a":
            ids.add(attributes.get("name") or "")
    unresolved: set[str] = set()
    if b"][" in data and tree.body:
        tree.strip_tags(NO_TEXT)
        unresolved.update(REFERENCE.findall(tree.body.text(separator=" ")))  # two links side by side are none
    inside = frozenset(target for target in targets if not target.lstrip().lower().startswith(ELSEWHERE))
    return HtmlPage(inside, frozenset(ids - {""}), frozenset(unresolved))


def check_page(
    path: str, page: HtmlPage, pages: dict[str, HtmlPage], served: Callable[[str], str], prefix: str
) -> Iterator[Finding]:
    """The targets of one page that do not exist, and references without one; each is reported once."""
    folder = dirname(path)
    for text in sorted(page.unresolved):
        yield Finding(path=path, line=1, column=1, rule="markup-literal", hint="define it, or name a page or a heading",
                      message=f"the reader sees a reference without a target: {text!r}", subject=text)
    for target in sorted(page.targets):
        file, anchor = resolve_target(path, folder, target, prefix)
        if file is None:
            continue
        served_file = served(file)
        if not served_file:
            yield Finding(path=path, line=1, column=1, rule="link-target-missing", hint="correct the path",
                          message=f"this leads nowhere: {target!r}", subject=target)
        elif anchor and served_file in pages and anchor not in pages[served_file].ids and anchor != "top":
            near = nearest_name(anchor, pages[served_file].ids)
            hint = f"did you mean #{near}?" if near else "name an id it has"
            message = f"{served_file} has no id {anchor!r}"
            yield Finding(path=path, line=1, column=1, rule="link-anchor-missing", message=message, hint=hint,
                          subject=target)


def resolve_target(path: str, folder: str, target: str, prefix: str) -> tuple[str | None, str]:
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
