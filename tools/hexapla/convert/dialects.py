"""The table of dialects: what each brings to a conversion."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hexapla.convert.doc_builder import documented, headings, page, toctree
from hexapla.convert.model import LinkIndex, Take


class SourceDialect(NamedTuple):
    """A dialect of Markdown documentation, as functions of text.

    `toctree` is the file that holds a language's navigation, and whose presence tells the dialect.
    """

    toctree: str
    read_headings: Callable[[str], list[headings.SourceHeading]]
    documented: Callable[[Mapping[str, str], str], dict[str, str]]
    foreign: Callable[[str], tuple[int, str] | None]  # the first thing that is ours already: its line and text
    to_site: Callable[[str, str, LinkIndex, list[headings.SourceHeading], list[str], Take], str]
    from_site: Callable[[str, str, LinkIndex], str]
    read_toctree: Callable[[str, str], tuple[toctree.TocEntry, ...]]
    navigation: Callable[[tuple[toctree.TocEntry, ...], frozenset[str], Take], list[Any]]
    titles: Callable[[tuple[toctree.TocEntry, ...], tuple[toctree.TocEntry, ...], Take], Mapping[str, str]]


DIALECTS: Mapping[str, SourceDialect] = {
    "doc-builder": SourceDialect(
        "_toctree.yml", headings.read_headings, documented.documented_objects, page.own_markdown, page.to_site,
        page.to_doc_builder, toctree.read_toctree, toctree.navigation, toctree.titles,
    ),
}
Headings = Sequence[headings.SourceHeading]
