"""Addresses that no page has and that lead somewhere: redirects, and routes that code makes pages for.

Redirects stand in vercel.json, netlify.toml, `_redirects`, Mintlify's docs.json, and in a framework's configuration,
which is read as text: a site path that it names is one.
"""

import contextlib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from hexapla.files import is_own_file, read_text, walk_files
from hexapla.frameworks.framework import Framework
from hexapla.frameworks.registry import PLAIN

JSON_FILES = ("vercel.json", "docs.json", "mint.json")
LINE_FILES = ("_redirects", "public/_redirects", "static/_redirects")
REDIRECTS = ("redirects.*", "*/redirects.*", "next.config.*")
ROUTES = ("src/pages/", "pages/")  # of Docusaurus, Next.js, Astro and Nuxt; `[name].tsx` makes any page of its folder
ROUTE_END = re.compile(r"(?:(?:^|/)index)?\.\w+$")
WILDCARD = re.compile(r"[:*(].*")


def redirected_addresses(root: Path, site: str, framework: Framework = PLAIN) -> Iterator[str]:
    """The site paths that lead elsewhere, without their first slash; one that ends in a slash stands for all below."""
    for folder in dict.fromkeys(("", site)):
        for source in redirect_sources(root, folder, framework):
            path = source.partition("#")[0].partition("?")[0].lstrip("/")
            prefix = WILDCARD.sub("", path)
            if prefix != path and "/" in prefix:
                yield f"{prefix.rpartition('/')[0]}/"
            elif path and prefix == path:
                yield path.rstrip("/")
        for routes in ROUTES:
            with contextlib.suppress(OSError):  # a link that leads out of the tree
                for file in walk_files(root, f"{folder}{routes}"):
                    below, mark, _ = file.removeprefix(f"{folder}{routes}").partition("/[")
                    if address := f"{below}/" if mark else ROUTE_END.sub("", below):
                        yield address


def redirect_sources(root: Path, folder: str, framework: Framework) -> Iterator[str]:
    """The sources of redirects as the files of a folder write them."""
    for mark in (*framework.marks, *REDIRECTS) if framework.routes else ():
        for config in (each for each in (root / folder).glob(mark) if is_own_file(root, each)):
            yield from re.findall(framework.routes, read_text(root, config, "replace"))
    for name in (*JSON_FILES, *LINE_FILES, "netlify.toml"):
        path = f"{folder}{name}"
        if not is_own_file(root, path):
            continue
        with contextlib.suppress(OSError, ValueError):
            text = read_text(root, path)
            if name in LINE_FILES:
                yield from (line.split()[0] for line in text.splitlines() if line.startswith("/"))
                continue
            data = tomllib.loads(text) if name.endswith("toml") else json.loads(text)
            entries = data.get("redirects") if isinstance(data, dict) else None
            for each in entries if isinstance(entries, list) else ():
                source = each.get("source", each.get("from")) if isinstance(each, dict) else None
                if isinstance(source, str):
                    yield source
