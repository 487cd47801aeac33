"""The same page in the other languages: where it is, and how search engines are told."""

import re
from typing import Any

RELATIVE_ALTERNATE = re.compile(r'\s*<link rel="alternate" href="(?!https?://)[^"]*" hreflang="[^"]*">')


def urls(file: Any) -> dict[str, str]:
    """The address of a page in every language, from the site's root; `file` is one that the i18n plugin made."""
    return {code: "./" if alternate.url in {"", "."} else alternate.url for code, alternate in file.alternates.items()}


def without_alternates(head: str) -> str:
    """The theme's head without its relative `hreflang` links, which search engines do not read."""
    return RELATIVE_ALTERNATE.sub("", head)
