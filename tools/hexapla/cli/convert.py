"""`hexapla convert`: its options, what could not be brought over, and the tree written."""

import argparse
import json
from collections import Counter
from pathlib import Path

from hexapla.cli.terminal import FOUND, progress
from hexapla.convert.dialects import DIALECTS, dialect_of
from hexapla.convert.service import Conversion, ConvertOptions, convert_tree, write_conversion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `hexapla convert`."""
    add = parser.add_argument
    add("source", type=Path, metavar="SRC", help="the folder of the languages' folders; with --to, a project of ours")
    add("target", type=Path, metavar="DST", help="a folder that does not exist yet, or is empty")
    add("--from", dest="dialect", choices=tuple(DIALECTS), help="the dialect of SRC (default: as its files tell)")
    add("--to", choices=tuple(DIALECTS), help="convert back: from a project of ours to this dialect")
    add("--source", dest="language", default="en", metavar="CODE", help="the language translated from (default: en)")
    add("--reference", default="", metavar="URL",
        help="the published reference that names in brackets link to: https://huggingface.co/docs/NAME/main/en")
    add("--write", action="store_true", help="write the tree; without this, say what would be written")
    add("--format", choices=("text", "json"), default="text", help="how to report")


def convert(chosen: argparse.Namespace) -> int:
    """Run `hexapla convert`: 1 where something could not be brought over."""
    options = ConvertOptions(
        chosen.source, chosen.target, chosen.to or chosen.dialect or dialect_of(chosen.source), bool(chosen.to),
        chosen.language, chosen.reference.rstrip("/"),
    )
    with progress("converting") as step:
        conversion = convert_tree(options, step)
    if chosen.write:
        write_conversion(options, conversion)
    print(as_json(conversion, chosen.write) if chosen.format == "json" else as_text(conversion, options, chosen.write))
    return FOUND if conversion.notes else 0


def as_text(conversion: Conversion, options: ConvertOptions, written: bool) -> str:
    """The report as lines."""
    kinds = Counter(note.kind for note in conversion.notes)
    pages = ", ".join(f"{code} {count}" for code, count in conversion.pages.items())
    verb = "written to" if written else "would be written to"
    next_step = "next: compare the trees with git diff" if options.back else f"next: cd {options.target}; mkdocs serve"
    return "\n".join([
        *(f"{note.path}:{note.line}: {note.kind}: {note.message}" for note in conversion.notes),
        *(f"{count:6} {kind}" for kind, count in kinds.most_common()),
        f"pages: {pages}; {len(conversion.files)} files {verb} {options.target}",
        next_step if written else "nothing was written; write it with --write",
    ])


def as_json(conversion: Conversion, written: bool) -> str:
    """The report as JSON."""
    return json.dumps({
        "schema": 1, "written": written, "pages": conversion.pages, "files": sorted(conversion.files),
        "notes": [note._asdict() for note in conversion.notes],
    }, ensure_ascii=False, indent=2)
