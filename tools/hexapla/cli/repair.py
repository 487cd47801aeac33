"""`hexapla repair`: its options, and repaired text printed or written."""

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hexapla.cli.terminal import require_extra, show_progress
from hexapla.config.project import Project, find_project, read_terms
from hexapla.errors import ConfigError
from hexapla.files import is_own_file, pages_under, read_text
from hexapla.glossary import list_renderings
from hexapla.mojibake.command.file_repair import RepairOptions, repair_files


def options_of(chosen: argparse.Namespace) -> RepairOptions:
    """The parsed options as the service takes them."""
    return RepairOptions(
        tuple(chosen.paths), tuple(chosen.corpus or ()), chosen.write, not chosen.no_keep,
        chosen.guess, chosen.mark, chosen.check, chosen.jobs, chosen.format,
    )


def repair(chosen: argparse.Namespace) -> int:
    """Run `hexapla repair`: 1 while something stays garbled or uncertain, 2 where a file cannot be read or written."""
    project = None  # garbled files need none; --corpus names clean pages
    try:
        project = find_project(chosen.root)
    except ConfigError:
        if chosen.root:
            raise
    root, clean = project.root if project else Path.cwd(), partial(clean_texts, project)

    with require_extra("repair"), show_progress("repairing") as step:
        outcome = repair_files(options_of(chosen), clean, root, step)
    if outcome.output:
        print(outcome.output)
    for error in outcome.errors:
        print(f"hexapla: {error}", file=sys.stderr)
    return outcome.status


def clean_texts(project: Project | None) -> Iterator[str]:
    """The pages of a project and its glossary's terms, which a page that is garbled holds too."""
    if project:
        for page in pages_under(project.docs):
            if is_own_file(project.root, page):
                yield read_text(project.root, page, errors="replace")
        terms = read_terms(project)
        for language in project.languages:
            if not language.derived_from:
                yield list_renderings(terms, language.code)
