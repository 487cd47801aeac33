"""The bar above a page that no theme renders: the way to the front page, the languages, and the search."""

from collections.abc import Mapping
from typing import NamedTuple

from hexapla.config.mkdocs_yaml import plugin_options
from hexapla.site.page.part_templates import render_part
from hexapla.site.page.site_files import relative_url
from hexapla.translation.status.status_html import PageTop

NONE: Mapping[str, str] = {}


class SiteBar(NamedTuple):
    """What the bars of a site say of it: the languages' names and its own in each, the source's first.

    `icon` is an address from the site's root, `home` the address of a front page in its language's folder.
    """

    languages: Mapping[str, str]
    names: Mapping[str, str]
    icon: str
    home: str


def make_bar(settings: Mapping[str, object], languages: Mapping[str, str], icon: str, directory_urls: bool) -> SiteBar:
    """The bar of a site by the settings of its mkdocs.yml; `languages` are their names by code, the source's first."""
    listed = (plugin_options(settings, "i18n") or {}).get("languages") or ()
    names = {each.get("locale"): each.get("site_name") for each in listed}
    default = str(settings.get("site_name") or "")
    return SiteBar(languages, {code: names.get(code) or default for code in languages}, icon,
                   "" if directory_urls else "index.html")


def draw_top(
    bar: SiteBar, language: str, url: str, addresses: Mapping[str, str], titles: Mapping[str, str] = NONE
) -> PageTop:
    """The bar of the page at an address, in a language.

    Each language leads to one of `addresses`, from the site's root, with its title, or else to its front page.
    """
    source = next(iter(bar.languages))
    homes = {code: ("" if code == source else f"{code}/") + bar.home or "./" for code in bar.languages}
    fronts, links = ({code: relative_url(each, url) for code, each in found.items()} for found in (homes, addresses))
    values = {"bar": bar, "root": root_from(url), "fronts": fronts, "links": links, "titles": titles}
    language = language if language in fronts else source
    return PageTop(*(render_part(f"plain-{part}.html", language, **values) for part in PageTop._fields))


def root_from(url: str) -> str:
    """The site's root from a page at an address.

    >>> root_from("source/demo/add.py.html")
    '../..'
    """
    return "/".join([".."] * url.count("/"))
