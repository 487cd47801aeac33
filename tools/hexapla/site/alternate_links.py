"""The same page in the other languages: its addresses, and what search engines are told of them."""

import re
from collections.abc import Iterable, Mapping
from typing import Protocol, cast
from urllib.parse import urljoin

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

HREFLANG = re.compile(r"\s*<link\b(?=[^>]*\bhreflang=)[^>]*>")
RELATIVE = re.compile(r'\s*<link rel="alternate" href="(?!https?://)[^"]*" hreflang="[^"]*">')
ABSOLUTE = re.compile(r'href="?https?://')


class LocalizedFile(Protocol):
    """What the i18n plugin adds to a File: the language it is written in, its path below the language's folder."""

    locale: str
    norm_src_uri: str
    alternates: Mapping[str, File]


def localized(file: File) -> LocalizedFile:
    """The same file; MkDocs' type does not know what the i18n plugin adds."""
    return cast(LocalizedFile, file)


def alternate_urls(file: File) -> dict[str, str]:
    """The address of a page in every language, from the site's root."""
    others = localized(file).alternates.items()
    return {code: "./" if alternate.url in {"", "."} else alternate.url for code, alternate in others}


def absolute_alternates(
    urls: Mapping[str, str], available: Iterable[str], site_url: str, source: str
) -> dict[str, str]:
    """The absolute addresses of a page by language, those that have it, and `x-default`: the original's."""
    absolute = {code: urljoin(site_url, urls[code]) for code in available if code in urls}
    original = absolute.get(source)  # none where a translation is all there is
    return absolute | ({"x-default": original} if original else {})


def set_canonical_urls(files: Iterable[File], site_url: str | None, language: str) -> None:
    """Give the pages of a language's site that are shown in another language the address of their original."""
    for file in files:
        written = localized(file).locale
        original = localized(file).alternates.get(written)
        if site_url and file.page is not None and written != language and original is not None:
            file.page.canonical_url = urljoin(site_url, original.url)


def without_relative_alternates(head: str) -> str:
    """The theme's head without its relative `hreflang` links, which search engines do not read.

    Raises PluginError where one of them is written in another form and would stay.
    """
    head = RELATIVE.sub("", head)
    for link in HREFLANG.findall(head):
        if not ABSOLUTE.search(link):
            raise PluginError(
                f"the theme writes {link.strip()}, which Hexapla cannot take out of the page's head (its own links are "
                "absolute); install the version of the theme that Hexapla was tested with, or report this to Hexapla"
            )
    return head
