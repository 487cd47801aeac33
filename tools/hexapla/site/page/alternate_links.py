"""The same page in the other languages: its addresses, and what search engines are told of them."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urljoin

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

from hexapla.site.page.site_files import as_localized_file

REGIONS = {"zh-Hant": "zh-TW"}  # a script, and the region that search engines and readers know it by
HREFLANG = re.compile(r"\s*<link\b(?=[^>]*\bhreflang=)[^>]*>")
RELATIVE = re.compile(r'\s*<link rel="alternate" href="(?!https?://)[^"]*" hreflang="[^"]*">')
ABSOLUTE = re.compile(r'href="?https?://')


def absolute_url(site_url: str, url: str) -> str:
    """The absolute address of a page; mike gives the site's address without a slash at its end."""
    return urljoin(site_url.rstrip("/") + "/", url)


def absolute_alternates(
    urls: Mapping[str, str], available: Iterable[str], site_url: str, source: str
) -> dict[str, str]:
    """The absolute addresses of a page by language, those that have it, and `x-default`: the original's.

    Traditional Chinese is given as zh-TW too, where no language of the site is that.
    """
    absolute = {code: absolute_url(site_url, urls[code]) for code in available if code in urls}
    absolute |= {
        region: absolute[code] for code, region in REGIONS.items() if code in absolute and region not in urls
    }
    original = absolute.get(source)  # none where a translation is all there is
    return absolute | ({"x-default": original} if original else {})


def set_original_urls(
    files: Iterable[File], site_url: str | None, language: str, derived: Mapping[str, tuple[str, str]]
) -> None:
    """Give pages the addresses of what they are made of.

    A page that is shown in another language has its original's address; one that is derived is edited where it comes
    from, which `derived` says by its path.
    """
    for file in files:
        written = as_localized_file(file).locale
        original = as_localized_file(file).alternates.get(written)
        if file.page is None:
            continue
        if site_url and written != language and original is not None:
            file.page.canonical_url = absolute_url(site_url, original.url)
        if file.page.edit_url and file.src_uri in derived:
            file.page.edit_url = file.page.edit_url.replace(file.src_uri, "/".join(derived[file.src_uri]))


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
