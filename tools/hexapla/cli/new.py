"""`hexapla new snippet`: the files that a snippet begins with, and what to run next."""

import argparse

from hexapla.cli.next_command import repeated_options
from hexapla.config.project import find_project
from hexapla.setup.new_snippet import new_snippet
from hexapla.translation.new_language import write_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=("snippet",), help="what to begin")
    parser.add_argument("name", metavar="AREA/NAME", help="its name, which is its path below the snippets")
    parser.add_argument("--page", default="", metavar="PAGE[#SECTION]", help="show it there: docs/en/guide.md#start")
    parser.add_argument("--write", action="store_true", help="write the files; without this, say which")


def new(args: argparse.Namespace) -> int:
    """`hexapla new snippet`: write the files, or say which they would be."""
    project = find_project(args.root)
    name = args.name.removesuffix(".py")
    files = new_snippet(project, name, args.page)
    if args.write:
        write_files(project.root, files)
    for file in files:
        print(f"{file.relative_to(project.root)}: {'written' if args.write else 'would be written'}")
    print(f"next: hexapla run {name} --record{repeated_options(args)}" if args.write
          else "nothing was written; begin it with --write")
    return 0
