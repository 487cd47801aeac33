"""`_toctree.yml`: the navigation of each language becomes one `nav` with its titles in the others."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from hexapla.convert.conversion_records import Take
from hexapla.errors import ConfigError
from hexapla.yaml_text import compose_yaml, locate_mistake


class TocEntry(NamedTuple):
    """An entry of the navigation: a page, a section, or both; `page` and `title` are "" where the file gives none."""

    title: str
    page: str
    line: int
    entries: tuple["TocEntry", ...] = ()


def read_toctree(text: str, place: str) -> tuple[TocEntry, ...]:
    """The navigation that a `_toctree.yml` holds. Raises ConfigError that names `place`."""
    try:
        root = compose_yaml(text)
    except yaml.YAMLError as error:
        line, column, problem = locate_mistake(error)
        raise ConfigError(f"{place}:{line}:{column}: is not YAML ({problem}); correct it") from error
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        raise ConfigError(f"{place}: holds no list of pages; write one, or take the file away")
    entries = tuple(read_entries(root))
    if not any(entry.page for entry in walk_entries(entries)):
        raise ConfigError(f"{place}: names no page; give its entries a `local`, or take the file away")
    return entries


def read_entries(node: Any) -> Iterator[TocEntry]:
    for item in node.value if isinstance(node, yaml.SequenceNode) else []:
        pairs = {key.value: value for key, value in item.value} if isinstance(item, yaml.MappingNode) else {}
        title, page = (str(each.value) if isinstance(each := pairs.get(key), yaml.ScalarNode) else ""
                       for key in ("title", "local"))
        inside = tuple(read_entries(pairs["sections"])) if "sections" in pairs else ()
        yield TocEntry(title, page, item.start_mark.line + 1, inside)


def walk_entries(entries: tuple[TocEntry, ...]) -> Iterator[TocEntry]:
    """Every entry, those of sections after their section."""
    for entry in entries:
        yield entry
        yield from walk_entries(entry.entries)


def make_navigation(entries: tuple[TocEntry, ...], pages: frozenset[str], note: Take) -> list[Any]:
    """The entries as `nav` of a mkdocs.yml has them; those that lead nowhere are noted and left out."""
    made: list[Any] = []
    for entry in entries:
        if entry.page and entry.page not in pages:
            note("toctree", entry.line, f"names the page {entry.page}, which is not there; it is left out")
        if not (entry.title or entry.page or entry.entries):
            note("toctree", entry.line, "has no `title`, no `local` and no `sections`; it is left out")
        file = f"{entry.page}.md"
        own: list[Any] = [{entry.title: file} if entry.title else file] if entry.page in pages else []
        inside = make_navigation(entry.entries, pages, note)
        if entry.entries and not entry.title:
            made += [*own, *inside]
        elif entry.entries:
            made += [{entry.title: [*own, *inside]}] if own or inside else []
        else:
            made += own
    return made


def translated_titles(source: tuple[TocEntry, ...], translated: tuple[TocEntry, ...], note: Take) -> Mapping[str, str]:
    """The titles of a language by those of the source; a section is known by the pages that it shares."""
    by_page = {entry.page: entry for entry in walk_entries(translated) if entry.page and not entry.entries}
    sections = [(entry, pages_of(entry)) for entry in walk_entries(translated) if entry.entries]
    found: dict[str, str] = {}
    for entry in walk_entries(source):
        if entry.entries:
            wanted = pages_of(entry)
            best = max(sections, key=lambda section: len(section[1] & wanted), default=None)
            match = best[0] if best and len(best[1] & wanted) * 2 > len(wanted & set(by_page)) > 0 else None
        else:
            match = by_page.get(entry.page)
        if match and entry.title and match.title and found.setdefault(entry.title, match.title) != match.title:
            note("title-twice", match.line, f"{entry.title!r} is {found[entry.title]!r} and {match.title!r} here; "
                 "a navigation has one title for it, the first")
    return {title: shown for title, shown in found.items() if title != shown}


def pages_of(entry: TocEntry) -> set[str]:
    """The pages of a section, those of its own sections too."""
    return {each.page for each in walk_entries(entry.entries) if each.page}
