"""`hexapla add-language`: all that a new language starts from."""

import argparse

from hexapla.cli.next_command import repeated_options
from hexapla.config.project import find_project
from hexapla.site.texts.strings import shipped_sentences
from hexapla.translation.new_language import new_files, write_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", metavar="CODE", help="the language's code, as ko or pt-BR")
    parser.add_argument("--name", help="what the language calls itself (default: as Unicode's CLDR has it)")
    parser.add_argument("--write", action="store_true", help="write the files; without this, say which")


def add_language(args: argparse.Namespace) -> int:
    """`hexapla add-language`: write the files, or say which they would be."""
    project = find_project(args.root)
    files = new_files(project, args.code, args.name, shipped_sentences()["en"], args.code in shipped_sentences())
    if args.write:
        write_files(project.root, files)
    for file in files:
        print(f"{file.relative_to(project.root)}: {'written' if args.write else 'would be written'}")
    if not files:
        print(f"nothing to write: {args.code} is set up")
    print(f"next: hexapla status{repeated_options(args)}" if args.write or not files
          else "nothing was written; set it up with --write")
    return 0
