"""Old addresses of sections that moved to other pages: the browser follows them, without a server.

Each is a paragraph with the id that the section had and a link to where it is now. hexapla.js follows the link and
keeps the query; without scripts the browser shows the one paragraph that the address names.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from hexapla.checks.rules.id_redirects import KEY, redirects_of
from hexapla.site.page.part_templates import render_part
from hexapla.site.page.site_files import relative_url
from hexapla.site.sources import SiteSources

if TYPE_CHECKING:
    from mkdocs.structure.files import Files


class MovedSection(NamedTuple):
    """A section that moved: the id that it had, its title, and its address from the site's root."""

    old: str
    title: str
    address: str


def moved_sections(sources: SiteSources, files: "Files", language: str, page: str) -> Iterator[MovedSection]:
    """The sections that moved away from a page, its path below a language's folder; the source's page names them."""
    source = sources.project.source.code
    if (source, page) not in sources.pages or f"\n{KEY}:" not in sources.pages.text((source, page)):
        return
    for each in redirects_of(sources.pages[source, page], page):
        paths = (f"{code}/{each.path}" for code in (language, source))
        path = next((path for path in paths if path in files.src_uris), "")
        if path:
            title = title_of(sources, language, each.path, each.id)
            yield MovedSection(each.old, title, f"{files.src_uris[path].url}#{each.id}")


def title_of(sources: SiteSources, language: str, page: str, section: str) -> str:
    """The heading with this id in a language, the source's where the language's page lacks it."""
    path = f"{language}/{page}"
    if path in sources.derived:
        return sources.derived.convert(path, title_of(sources, sources.derived[path][0], page, section))
    for key in ((language, page), (sources.project.source.code, page)):
        for heading in sources.pages[key].headings if key in sources.pages else ():
            if heading.id == section:
                return heading.text.replace("`", "")
    return section


def redirect_paragraphs(sections: Iterable[MovedSection], language: str, url: str) -> str:
    """A paragraph for each section that moved away from the page at `url`."""
    here = [each._replace(address=relative_url(each.address, url)) for each in sections]
    return render_part("moved.html", language, sections=here)
