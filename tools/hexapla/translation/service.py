"""`hexapla status`, `diff` and `sync`: from options and a tree to a text to print, and records to write."""

import argparse
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hexapla.errors import ConfigError
from hexapla.translation import diff_text, records, status_html, status_text
from hexapla.translation.changes import differences
from hexapla.translation.priority import ranks, read_views
from hexapla.translation.records import Key, Note, Record, orphans, record_of, replaced
from hexapla.translation.revisions import Past, blob, counted
from hexapla.translation.status import PageStanding, State, standings
from hexapla.translation.status_html import Say
from hexapla.translation.translation_tree import Tree, write_records

FORMATS = ("text", "json", "html", "github")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What `sync` did to one section, or would do without --write."""

    language: str
    page: str
    section: str
    before: str


def add_status_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hexapla status` takes beyond the options of a tree."""
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages or folders (default: all)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to report (default: text)")
    parser.add_argument("--views", type=Path, metavar="CSV", help="page views, to put what readers miss most first")
    parser.add_argument("--since", metavar="REV", help="only what has fallen behind since this revision")


def add_diff_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hexapla diff` takes."""
    parser.add_argument("pages", nargs="+", metavar="PAGE", help="pages or folders")
    parser.add_argument("--section", metavar="ID", help="this section alone")
    parser.add_argument("--language", metavar="CODE", help="this language alone (default: all)")


def add_sync_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hexapla sync` takes."""
    parser.add_argument("pages", nargs="+", metavar="PAGE", help="pages or folders; a path below a language means it")
    parser.add_argument("--section", metavar="ID", help="this section alone")
    parser.add_argument("--language", metavar="CODE", help="this language alone (default: all that have the page)")
    parser.add_argument("--write", action="store_true", help="record it; without this, say what would be recorded")


def chosen(tree: Tree, given: Sequence[str], language: str | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pages and languages that arguments name: names, paths, folders. Raises ConfigError.

    A path below a translation's folder names its language too; no argument names all.
    """
    names: dict[str, None] = {}
    languages: dict[str, None] = {}
    for argument in given:
        inside = owners(tree, argument)
        codes = {code for code, _ in inside}
        names |= dict.fromkeys(name for _, name in inside)
        languages |= dict.fromkeys(tree.languages if tree.layout.source in codes else sorted(codes))
    if language:
        known_language(tree, language)
        languages = {language: None}
    return tuple(names), tuple(code for code in tree.languages if not languages or code in languages)


def owners(tree: Tree, argument: str) -> list[tuple[str, str]]:
    """The languages and names of the pages that one argument means: a name, or a path from here or from the root."""
    source = tree.layout.source
    name = argument.strip("/").removesuffix(".mdx").removesuffix(".md")
    if any(name in pages for pages in tree.files.values()):
        return [(source, name)]
    for base in (Path.cwd(), tree.layout.root):
        place = Path(os.path.relpath(base / argument, tree.layout.root)).as_posix()
        found = [
            (code, page) for code, pages in tree.files.items() for page, path in pages.items()
            if place == "." or path == place or path.startswith(f"{place}/")
        ]
        if found:
            return found
    raise ConfigError(f"{argument}: is no page of this tree; name one as `hexapla status` lists it")


def known_language(tree: Tree, language: str) -> None:
    """Refuse a language that the tree does not have. Raises ConfigError."""
    if language not in tree.languages:
        known = ", ".join(tree.languages) or "none"
        raise ConfigError(f"{language!r} is no language that is translated here; there are: {known}")


def survey(
    tree: Tree, given: Sequence[str] = (), views: Path | None = None, language: str | None = None
) -> list[PageStanding]:
    """The standing of the pages that arguments name, those that readers would miss most first in each language.

    `views` is a CSV of page views. Raises ConfigError.
    """
    names, languages = chosen(tree, given, language)
    past = Past(tree.layout.root)
    found = counted(tree, standings(tree, languages, names), past)
    return ordered(tree, found, read_views(views) if views else "")


def ordered(tree: Tree, pages: Iterable[PageStanding], views: str = "") -> list[PageStanding]:
    """Pages by language, in each those first that readers would miss most; `views` is the text of a CSV."""
    place = ranks(tree.layout, views)
    codes = {code: number for number, code in enumerate(tree.languages)}
    return sorted(pages, key=lambda page: (codes[page.language], place.get(page.page, len(place)), page.page))


def diff(
    tree: Tree, given: Sequence[str], section: str | None = None, language: str | None = None, color: bool = False
) -> str:
    """What changed since the sections that are not current were translated. Raises ConfigError."""
    past = Past(tree.layout.root)
    parts = []
    pages = survey(tree, given, None, language)
    all_readable(tree, pages)
    if section is not None and not any(each.id == section for page in pages for each in page.sections):
        raise ConfigError(unknown_section(section))
    for page in pages:
        found = [each for each in differences(tree, page, past) if section in {None, each.standing.id}]
        parts.append(diff_text.text(page, found, past.known, color))
    return "".join(parts)


def notes(tree: Tree) -> list[tuple[str, Note]]:
    """What is odd about the files of records, and the pages that cannot be read: path and note."""
    odd = [(records.path(code), note) for code in tree.languages for note in tree.records[code].notes]
    return odd + [(page, Note(1, why)) for page, why in tree.unreadable.items()]


def all_readable(tree: Tree, pages: Iterable[PageStanding]) -> None:
    """Refuse to go on where one of the pages, or its source, could not be read. Raises ConfigError."""
    for path in (path for page in pages for path in (page.path, page.source_path)):
        if path in tree.unreadable:
            raise ConfigError(f"{path}: {tree.unreadable[path]}")


def fallen(before: Iterable[PageStanding], now: Iterable[PageStanding]) -> list[PageStanding]:
    """The pages of `now` with those sections alone that were current before and are not any more."""
    was = {(page.language, page.page, section.id): section.state for page in before for section in page.sections}
    made = (
        replace(page, sections=tuple(
            section for section in page.sections
            if section.state is State.BEHIND and was.get((page.language, page.page, section.id)) is State.CURRENT
        ))
        for page in now
    )
    return [page for page in made if page.sections]


def sync(
    tree: Tree, given: Sequence[str], section: str | None = None, language: str | None = None, write: bool = False
) -> list[Recorded]:
    """Record that the translations of sections stand for today's source: those that are there and not current.

    Raises ConfigError where nothing is named. Records of sections that moved are kept under their new name.
    """
    names, languages = chosen(tree, given, language)
    done: list[Recorded] = []
    known = False
    pages = list(standings(tree, languages, names))
    all_readable(tree, pages)
    for code in languages:
        new: dict[Key, Record | None] = {}
        for page in (page for page in pages if page.language == code):
            for each in page.sections:
                known = known or section in {None, each.id}
                if section in {None, each.id} and each.line:
                    done += settle(tree, page, each.id, new)
        if write and new:
            write_records(tree.layout.root, code, replaced(tree.records[code], new))
    if not known:
        raise ConfigError(unknown_section(section))
    return done


def unknown_section(section: str | None) -> str:
    """What is said of a section that none of the pages has."""
    return f"no section {section!r} there; `hexapla status` lists the sections that are not current"


def settle(tree: Tree, page: PageStanding, name: str, new: dict[Key, Record | None]) -> list[Recorded]:
    """Put the record of one section into `new` where today's would be another one."""
    section = next((each for each in tree.source.get(page.page, ()) if each.span.id == name), None)
    standing = next(each for each in page.sections if each.id == name)
    key = (page.page, name)
    if section is None:
        return []
    kept = tree.records[page.language].of.get(key, ())
    if len(kept) == 1 and standing.state is State.CURRENT:
        return []
    new[key] = record_of(section, blob(tree.data(page.source_path)))
    if not kept and standing.record:  # it was recorded under another name, which the source does not have any more
        lost = orphans(tree.records[page.language], tree.keys)
        new |= {old: None for old, found in lost.items() if standing.record in found}
    before = f"{len(kept)} records" if len(kept) > 1 else str(standing.state)
    return [Recorded(page.language, page.page, name, before)]


def sync_text(done: Sequence[Recorded], write: bool) -> str:
    """What was recorded, or would be."""
    lines = [f"{each.language}  {each.page}#{each.section}  {each.before} -> current" for each in done]
    if not done:
        lines.append("nothing to record: every section that is translated there is current")
    elif write:
        lines.append(f"{len(done)} section{'s' if len(done) > 1 else ''} recorded; commit translations/ with your work")
    else:
        lines.append(f"nothing was written; record {'these' if len(done) > 1 else 'this'} with --write")
    return "\n".join(lines) + "\n"


def status_report(
    format: str, pages: Sequence[PageStanding], odd: Sequence[tuple[str, Note]], tree: Tree, say: Say, color: bool
) -> str:
    """The report in a format; `say` has the sentences of the HTML page."""
    if format == "json":
        return status_text.machine(pages)
    if format == "html":
        return status_html.offline(pages, say)
    if format == "github":
        return status_text.github(pages, odd)
    return status_text.text(pages, odd, Past(tree.layout.root).known, color)
