"""A page's file in its language's site, and addresses from page to page, whatever engine renders them."""

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:  # an engine without plugins needs no MkDocs
    from mkdocs.structure.files import File


class LocalizedFile(Protocol):
    """What the i18n plugin adds to a File: the language it is written in, its path below the language's folder."""

    locale: str
    norm_src_uri: str
    alternates: "Mapping[str, File]"


def as_localized_file(file: "File") -> LocalizedFile:
    """The same file; MkDocs' type does not know what the i18n plugin adds."""
    return cast(LocalizedFile, file)


def alternate_urls(file: "File") -> dict[str, str]:
    """The address of a page in every language, from the site's root."""
    others = as_localized_file(file).alternates.items()
    return {code: "./" if alternate.url in {"", "."} else alternate.url for code, alternate in others}


def relative_url(url: str, page: str) -> str:
    """An address as the page at another one links to it, both from the site's root.

    >>> relative_url("source/a.html", "zh/b/"), relative_url("./", "zh/b.html"), relative_url("b/", "b/")
    ('../../source/a.html', '../', './')
    """
    folder = page.rpartition("/")[0] if "." in page.rpartition("/")[2] else page
    start, target = (posixpath.normpath(f"/{each}") for each in (folder, url))
    return posixpath.relpath(target, start) + "/" * url.endswith("/")
