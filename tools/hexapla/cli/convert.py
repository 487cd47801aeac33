"""`hexapla convert`: its options, what could not be brought over, and the tree or the page written."""

import argparse
import shlex
from collections import Counter
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from hexapla.cli.options import command_again
from hexapla.cli.terminal import FOUND, show_progress
from hexapla.convert.scraped.restored_page import RestoredPage, restore_page, write_restored
from hexapla.convert.source_formats import dialect_of
from hexapla.convert.source_tree import read_text
from hexapla.convert.tree_conversion import Conversion, ConvertOptions, convert_tree, write_conversion
from hexapla.errors import ConfigError
from hexapla.report_text import as_json


def convert(chosen: argparse.Namespace) -> int:
    """Run `hexapla convert`: 1 where something could not be brought over."""
    if chosen.beside:
        return restore_scraped(chosen)
    options = ConvertOptions(
        chosen.source, chosen.target, chosen.to or chosen.dialect or dialect_of(chosen.source), bool(chosen.to),
        chosen.language, chosen.reference.rstrip("/"),
    )
    with show_progress("converting") as step:
        conversion = convert_tree(options, step)
    if chosen.write:
        write_conversion(options, conversion)
    print(as_json(
        written=chosen.write, pages=conversion.pages, files=sorted(conversion.files),
        notes=[note._asdict() for note in conversion.notes],
    ) if chosen.format == "json" else as_text(conversion, options, chosen.write))
    return FOUND if conversion.notes else 0


def restore_scraped(chosen: argparse.Namespace) -> int:
    """Run `hexapla convert --beside`: 1 where something is uncertain. Raises ConfigError."""
    if chosen.to or chosen.dialect or chosen.reference:
        raise ConfigError("--beside restores one page; leave --from, --to and --reference out")
    with show_progress("restoring"):
        page = restore_page(chosen.source, chosen.target, chosen.beside)
    if chosen.write:
        write_restored(chosen.target, page)
    if chosen.format == "json":
        print(as_json(
            written=chosen.write, page=page.text, restored=[thing._asdict() for thing in page.things],
            notes=[note._asdict() for note in page.notes],
            removed=[{"line": line, "text": text} for line, text in page.removed.items()],
        ))
    else:
        print("\n".join(restored_lines(page, chosen.source, chosen.target, chosen.write)))
    return FOUND if page.notes else 0


def restored_lines(page: RestoredPage, source: Path, target: Path, written: bool) -> Iterator[str]:
    """The report of a restored page: the difference, what was put back, what was taken out, what is uncertain."""
    if not written:
        before = read_text(source).splitlines()
        yield from unified_diff(before, page.text.splitlines(), str(source), str(target), lineterm="")
    for thing in page.things:
        yield f"{target}:{thing.line}: {thing.confidence:.2f} {thing.kind}: {thing.text}"
    yield from (f"{source}:{line}: site: {text}" for line, text in page.removed.items())
    yield from (f"{note.path}:{note.line}: {note.kind}: {note.message}" for note in page.notes)
    for kind, count in Counter(thing.kind for thing in page.things).most_common():
        yield f"{count:6} {kind} put back"
    yield f"{len(page.removed):6} lines of the site taken out"
    yield f"{len(page.notes):6} uncertain or missing"
    yield (f"written to {target}; next: read what is listed, then {command_again('check', [target], [])}" if written
           else "nothing was written; write it with --write")


def as_text(conversion: Conversion, options: ConvertOptions, written: bool) -> str:
    kinds = Counter(note.kind for note in conversion.notes)
    pages = ", ".join(f"{code} {count}" for code, count in conversion.pages.items())
    verb = "written to" if written else "would be written to"
    source = "" if options.language == "en" else f" --source {options.language}"
    next_steps = ["compare the trees with git diff"] if options.back else [
        f"cd {shlex.quote(str(options.target))}", f"hexapla init{source} --write", "mkdocs serve", "hexapla check"]
    return "\n".join([
        *(f"{note.path}:{note.line}: {note.kind}: {note.message}" for note in conversion.notes),
        *(f"{count:6} {kind}" for kind, count in kinds.most_common()),
        f"pages: {pages}; {len(conversion.files)} files {verb} {options.target}",
        *(f"next: {step}" for step in next_steps if written),
        *(["nothing was written; write it with --write"] if not written else []),
    ])
