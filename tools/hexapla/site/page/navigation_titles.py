"""Titles that the theme's navigation and header show.

Pages have short ones, `nav_title` in front matter. MkDocs has one title for a page: one given in `nav` would also be
the page's in search, previews and its Markdown. A part of the site has one of its own in the header by `part_title` of
its first page.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

NAV_TITLE, PART_TITLE = "nav_title", "part_title"
LINK = r'<(?:a\b[^<>]*\bmd-nav__link\b|label\b[^<>]*\bfor="__toc")[^<>]*>'  # the label opens the sections of the page
LABEL = re.compile(rf'({LINK}\s*<span class="md-ellipsis">\s*)([^<]*?)(?=\s*<)')
NUMBER = re.compile(r"\d-(?=[^\W\d])")
SITE = re.compile(r'(<div class="md-header__topic">\s*<span class="md-ellipsis">)[^<]*')  # as the theme names it


def with_nav_titles(navigation: str, pages: Sequence["Page"]) -> str:
    """The theme's navigation with the short titles of the pages that have one and share their title with no other.

    No line of it ends within a name as 8-bit.
    """
    short = defaultdict[str, set[str]](set)
    for page in pages:
        title, given = str(page.title), page.meta.get(NAV_TITLE)  # MkDocs' title is HTML
        short[title].add(escape(str(given)) if given else title)
    one = {title: found.pop() for title, found in short.items() if len(found) == 1}
    return LABEL.sub(lambda label: label[1] + NUMBER.sub("\\g<0>\u2060", one.get(label[2], label[2])), navigation)


def with_part_title(header: str, page: "Page | None") -> str:
    """The theme's header, with the title that its part of the site has from its first page, if any, for the site's."""
    *_, part = None, *(page.ancestors if page else ())
    first, *_ = getattr(part, "children", None) or (None,)
    title = getattr(first, "meta", {}).get(PART_TITLE)
    return SITE.sub(lambda site: site[1] + escape(str(title)), header, count=1) if title else header
