"""A page of doc-builder's becomes ours and goes back: each step undoes exactly one other."""

import re
from functools import partial

from hexapla.convert.containers import indent_containers, restore_containers
from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.doc_builder.components import CONTAINERS, restore_written, write_lines
from hexapla.convert.doc_builder.framework_blocks import restore_frameworks, write_frameworks
from hexapla.convert.doc_builder.references import LINKS, link_names, restore_names
from hexapla.convert.headings import read_headings
from hexapla.convert.links import restore_links, write_links
from hexapla.convert.lists import indent_lists, restore_lists
from hexapla.pages.lines import FENCE_MARK, read
from hexapla.pages.slugs import doc_builder_slug

headings_of = partial(read_headings, written=re.compile(r"[ \t]*\[\[(?P<id>[^\[\]\s\"{}]+)\]\]"), slug=doc_builder_slug)
# What only a page that is ours already has.
OURS = re.compile(
    r"[ \t]*(?:!!! \w|\?\?\?\+? \w|===[!+]? \"|<!-- kept: |<!-- members$)"
    r"|#{1,6}[ \t].*\{#[^{}]*\}$|.*(?:[`)]\{\.(?:api|autodoc|youtube)\b|\{data-link=|\]\(inert:|data-inert-)"
)


def note_markup(text: str, note: Take) -> None:
    """Say where Python-Markdown reads a page's fences otherwise than CommonMark does."""
    fence, opening = -1, ""
    for line in read(text):
        indent = line.text[: len(line.text) - len(line.text.lstrip(" >"))]
        if line.kind is FENCE_MARK and line.fence != fence:
            fence, opening = line.fence, indent
        elif line.kind is FENCE_MARK and indent != opening:
            note("fence-indent", line.number, "a fence is closed at another indentation than it was opened at")


def write_page(text: str, page: str, index: LinkIndex, note: Take) -> str:
    """A page with what is doc-builder's own as it is written here."""
    note_markup(text, note)
    text = link_names(text, index, note)
    text = write_links(text, page, index, LINKS, note)
    text = indent_lists(text, note)
    text, take = write_frameworks(text, note)
    text, take = write_lines(text, index, take)
    return restore_frameworks(indent_containers(text, CONTAINERS, take))


def restore_page(text: str, page: str, index: LinkIndex) -> str:
    text = restore_lists(restore_frameworks(restore_written(restore_containers(text, CONTAINERS))))
    return restore_names(restore_links(text, page, index, LINKS))
