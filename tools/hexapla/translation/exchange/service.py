"""`hexapla export` and `hexapla import`: from options and a tree to files, and from files to pages and records."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hexapla.errors import ConfigError
from hexapla.files import inside, write
from hexapla.glossary import Term
from hexapla.languages import bcp47
from hexapla.translation.exchange import exports
from hexapla.translation.exchange.catalog import Catalog
from hexapla.translation.exchange.imports import Judge, Plan, Refusal, plan
from hexapla.translation.records import Key, Record, replaced
from hexapla.translation.service import all_readable, chosen, ordered
from hexapla.translation.status import standings
from hexapla.translation.translation_tree import Tree, write_page, write_records

SHOWN = 20  # refusals that are listed one by one
FORMATS = {".po": "po", ".xlf": "xliff", ".xliff": "xliff"}


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or would do: its pages, and files that could not be read at all."""

    plans: tuple[Plan, ...]
    refusals: tuple[Refusal, ...]


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hexapla export` takes."""
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages or folders (default: all)")
    parser.add_argument("--format", choices=exports.FORMATS, required=True, help="PO, or XLIFF 2.0")
    parser.add_argument("--language", metavar="CODE", help="this language alone (default: all)")
    parser.add_argument("--output", type=Path, metavar="DIR", required=True, help="where to write the files")


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hexapla import` takes."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of files that were exported, or one file")
    parser.add_argument("--write", action="store_true", help="put them into the pages; without this, say what would be")


def export(
    tree: Tree, given: Sequence[str], language: str | None, format: str, output: Path, terms: Sequence[Term]
) -> str:
    """Write the files and say what was written. Raises ConfigError."""
    names, languages = chosen(tree, given, language)
    pages = ordered(tree, standings(tree, languages, names))
    all_readable(tree, pages)
    found: dict[str, list[exports.Exported]] = {}
    for each in exports.files(tree, pages, format, terms):
        write(inside(output, each.path), each.data)
        found.setdefault(each.path.partition("/")[0], []).append(each)
    return exports.told(found)


def bring(tree: Tree, folder: Path, judge: Judge, put: bool) -> Imported:
    """Read every file of a folder; with `put`, write the pages and records. Raises ConfigError for no file at all."""
    among = [folder] if folder.is_file() else folder.rglob("*")
    files = sorted(path for path in among if path.suffix in FORMATS and path.is_file())
    if not files:
        raise ConfigError(f"{folder}: holds no .po, .xlf or .xliff file; name the folder that `hexapla export` wrote")
    plans: list[Plan] = []
    refusals: list[Refusal] = []
    for file in files:
        try:
            catalog, language = opened(tree, file, folder)
            page = next(standings(tree, (language,), (catalog.page,)))
            all_readable(tree, [page])
        except ConfigError as error:
            refusals.append(Refusal(str(file), 1, str(error).removeprefix(f"{file}: ")))
            continue
        made = plan(tree, page, catalog, str(file), judge)
        plans.append(made)
        if put and made.text is not None:
            write_page(tree.layout.root, made.path, made.text)
    if put:
        for language in tree.languages:
            new: dict[Key, Record | None] = {}
            for made in plans:
                new |= made.records if made.language == language else {}
            if new:
                write_records(tree.layout.root, language, replaced(tree.records[language], new))
    return Imported(tuple(plans), tuple(refusals))


def opened(tree: Tree, file: Path, folder: Path) -> tuple[Catalog, str]:
    """A file's catalog and the language it is for. Raises ConfigError."""
    catalog: Catalog = exports.module(FORMATS[file.suffix]).parse(file.read_bytes(), str(file))
    above = file.relative_to(folder).parts[0] if folder.is_dir() else ""
    given = (catalog.language, above)
    language = next((code for name in given for code in tree.languages if bcp47(code) == bcp47(name)), None)
    if language is None:
        known = ", ".join(tree.languages)
        raise ConfigError(f"{file}: is for the language {catalog.language!r}; this project has {known}")
    if catalog.page not in tree.source:
        raise ConfigError(f"{file}: is for the page {catalog.page!r}, which the source does not have any more")
    return catalog, language


def told(found: Imported, put: bool) -> Iterator[str]:
    """What an import did, line by line."""
    refusals = [*found.refusals, *(refusal for made in found.plans for refusal in made.refusals)]
    yield from map(str, refusals[:SHOWN])
    if len(refusals) > SHOWN:
        yield f"and {len(refusals) - SHOWN} more that were not taken over"
    changed = [made for made in found.plans if made.text is not None]
    recorded = sum(len(made.records) for made in found.plans)
    for made in changed:
        yield f"{made.path}: {'written' if put else 'would change'}"
    yield (
        f"{len(found.plans)} files read, {len(changed)} pages {'written' if put else 'to write'}, "
        f"{recorded} sections {'recorded as' if put else 'to record as'} current, {len(refusals)} messages refused"
    )
    if not put and (changed or recorded):
        yield "nothing was written; put it into the pages with --write"


def refused(found: Imported) -> bool:
    """Whether anything was not taken over."""
    return bool(found.refusals) or any(made.refusals for made in found.plans)
