"""A page of a dialect whose call-outs, tabs and links follow rules of one shape; each step undoes exactly one other."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from hexapla.convert.containers import ContainerRules, indent_containers, restore_containers
from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.fences import restore_info, write_info
from hexapla.convert.headings import SourceHeading, read_headings, restore_ids, write_ids
from hexapla.convert.inert_markup import make_inert, restore_markup
from hexapla.convert.links import LinkRules, restore_links, write_links
from hexapla.convert.lists import BELOW, indent_lists, restore_lists, separate_lists
from hexapla.convert.prose import keep_original
from hexapla.pages.lines import PROSE, read
from hexapla.pages.slugs import github_slug

WRITTEN = re.compile(r"[ \t]*\{(?=[^{}\"()]*#)[^{}\"()#]*#(?P<id>[^\s{}\"()]+)[^{}\"()]*\}")
headings_of = partial(read_headings, written=WRITTEN, slug=github_slug)
OURS = re.compile(
    r"[ \t]*(?:!!! \w|\?\?\?\+? \w|=== \"|<!-- kept: )|.*(?:\{data-link=|\]\(inert:|data-inert-|data-id=)"
)


class PageRules(NamedTuple):
    """What is the dialect's own: its lines of containers, the lines that are kept as comments, and its links.

    `kept` gives the kind of a line that is kept as a comment, "" for any other; `other` that of one that stays as it
    is and will show what nobody meant.
    """

    containers: ContainerRules
    links: LinkRules
    kept: Callable[[str], str]
    other: Callable[[str], str]


def keep_lines(text: str, rules: PageRules, note: Take) -> str:
    """The page with lines that no reader should see as comments."""
    done = []
    container = re.compile(rules.containers.tag)
    for line in read(text):
        body = line.text.strip()
        ours = line.kind is PROSE and bool(body) and not container.match(body)
        kind = rules.kept(body) if ours else ""
        if kind:
            note(kind, line.number, f"{body[:60]} has no counterpart; it is kept as a comment")
            shown, end = line.text.rstrip("\n"), "\n" * line.text.endswith("\n")
            indent = shown[: len(shown) - len(shown.lstrip(" "))]
            done.append(f"{indent}{keep_original(shown[len(indent):])}{end}")
            continue
        if ours and (kind := rules.other(body)):
            note(kind, line.number, f"{body[:60]} is nothing that is known here; it stays as it is")
        done.append(line.text)
    return "".join(done)


def to_site(
    rules: PageRules, text: str, page: str, index: LinkIndex, headings: Sequence[SourceHeading], ids: list[str],
    note: Take,
) -> str:
    """A page as it is written here; `headings` and `ids` are those of this very text."""
    text = write_ids(text, headings, ids)  # first: the headings' places are those of the page as it came
    text = write_info(text, note)
    text = make_inert(text, note)
    text = keep_lines(text, rules, note)
    text = write_links(text, page, index, rules.links, note)
    text = indent_lists(text, note)
    return separate_lists(indent_containers(text, rules.containers, note))


def from_site(rules: PageRules, text: str, page: str, index: LinkIndex) -> str:
    text = restore_lists(restore_containers(BELOW.sub("", text), rules.containers))
    return restore_ids(restore_info(restore_markup(restore_links(text, page, index, rules.links))))
