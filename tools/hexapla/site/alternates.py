"""The same page in the other languages: where it is, and how search engines are told."""

import re
from collections.abc import Mapping
from typing import Protocol, cast

from mkdocs.structure.files import File

RELATIVE_ALTERNATE = re.compile(r'\s*<link rel="alternate" href="(?!https?://)[^"]*" hreflang="[^"]*">')


class LocalizedFile(Protocol):
    """What the i18n plugin adds to a File: the language it is written in, its path below the language's folder."""

    locale: str
    norm_src_uri: str
    alternates: Mapping[str, File]


def localized(file: File) -> LocalizedFile:
    """The same file; MkDocs' type does not know what the i18n plugin adds."""
    return cast(LocalizedFile, file)


def urls(file: File) -> dict[str, str]:
    """The address of a page in every language, from the site's root."""
    others = localized(file).alternates.items()
    return {code: "./" if alternate.url in {"", "."} else alternate.url for code, alternate in others}


def without_alternates(head: str) -> str:
    """The theme's head without its relative `hreflang` links, which search engines do not read."""
    return RELATIVE_ALTERNATE.sub("", head)
