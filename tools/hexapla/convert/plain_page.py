"""A page of a dialect whose call-outs, tabs and links follow rules of one shape."""

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from hexapla.convert.containers import ContainerRules, indent_containers, restore_containers
from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.headings import read_headings
from hexapla.convert.links import LinkRules, restore_links, write_links
from hexapla.convert.lists import indent_lists, restore_lists
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


def write_page(rules: PageRules, text: str, page: str, index: LinkIndex, note: Take) -> str:
    """A page with what is the dialect's own as it is written here."""
    text = keep_lines(text, rules, note)
    text = write_links(text, page, index, rules.links, note)
    text = indent_lists(text, note)
    return indent_containers(text, rules.containers, note)


def restore_page(rules: PageRules, text: str, page: str, index: LinkIndex) -> str:
    return restore_links(restore_lists(restore_containers(text, rules.containers)), page, index, rules.links)
