"""`hexapla new snippet` and `hexapla add-language`: the files that they begin with, and what to run next."""

import argparse

from hexapla.cli.options import repeated_options
from hexapla.config.project import Project, find_project
from hexapla.setup.new_snippet import new_snippet
from hexapla.site.texts.strings import shipped_sentences
from hexapla.translation.new_language import Edits, new_files, write_files


def new(args: argparse.Namespace) -> int:
    """`hexapla new snippet`: write the files, or say which they would be."""
    project, name = find_project(args.root), args.name.removesuffix(".py")
    write_or_list(project, new_snippet(project, name, args.page), args.write)
    print(f"next: hexapla run {name} --record{repeated_options(args)}" if args.write
          else "nothing was written; begin it with --write")
    return 0


def add_language(args: argparse.Namespace) -> int:
    """`hexapla add-language`: write the files, or say which they would be."""
    project, sentences = find_project(args.root), shipped_sentences()
    files = new_files(project, args.code, args.name, sentences["en"], args.code in sentences)
    write_or_list(project, files, args.write)
    if not files:
        print(f"nothing to write: {args.code} is set up")
    print(f"next: hexapla status{repeated_options(args)}" if args.write or not files
          else "nothing was written; set it up with --write")
    return 0


def write_or_list(project: Project, files: Edits, write: bool) -> None:
    """Write files where that was asked for, and say which."""
    if write:
        write_files(project.root, files)
    for file in files:
        print(f"{file.relative_to(project.root)}: {'written' if write else 'would be written'}")
