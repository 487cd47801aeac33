"""`hexapla diff`: what changed in the source since a translation was made, or what a conversion does to a page."""

import argparse
import sys
from collections.abc import Iterator, Sequence

from hexapla import glossary
from hexapla.cli.terminal import wants_colour
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.project import Project, find_project, read_terms
from hexapla.errors import ConfigError
from hexapla.files import is_within, read_text
from hexapla.hanzi.converter import Converter
from hexapla.hanzi.explanation import converted_words
from hexapla.hanzi.tables import CODE
from hexapla.pages import spans
from hexapla.translation import tracking
from hexapla.translation.handwritten import passages_path, read_passages, shorten


def diff(args: argparse.Namespace) -> int:
    """`hexapla diff`: what changed in the source since a translation was made, the translation beside it."""
    if args.derived:
        sys.stdout.write("".join(derived_lines(find_project(args.root), args.derived, args.pages)))
        return 0
    sys.stdout.write(tracking.show_changes(translated_tree(args), args.pages, args.language, wants_colour()))
    return 0


def derived_lines(project: Project, code: str, pages: Sequence[str]) -> Iterator[str]:
    """What the conversion to a derived language does to pages, one word a line. Raises ConfigError."""
    origin = next((each.derived_from for each in project.languages if each.code == code), None)
    if origin is None:
        raise ConfigError(f"--derived {code}: the project derives no such language; mkdocs.yml names them at `derived`")
    terms = read_terms(project)
    rows = {term.renderings[origin]: term.line for term in terms if origin in term.renderings}
    convert = Converter(glossary.conversions(terms, origin, code), code, origin)
    passages, _ = read_passages(project.root, code)
    folder = project.docs / origin
    for name in pages:
        file = folder / name.removeprefix(f"{folder.relative_to(project.root).as_posix()}/")
        if not is_within(folder, file) or not file.is_file():
            raise ConfigError(f"{name}: no page of {origin}; name it as it is below {folder.name}/")
        path, text = file.relative_to(project.root).as_posix(), read_text(project.root, file, errors="replace")
        for passage in passages:
            if folder / passage.page == file and passage.original in text:
                before, said = text.split(passage.original, 1)
                number, column = before.count("\n") + 1, len(before) - before.rfind("\n")
                yield (f"{path}:{number}:{column} {shorten(passage.original)} → {shorten(passage.written)}  "
                       f"(by hand, {passages_path(code)}:{passage.line})\n")
                text = before + without_words(passage.original) + said
        prose = "".join(piece.text if piece.prose else without_words(piece.text) for piece in spans(text))
        for number, line in enumerate(prose.split("\n"), 1):
            for word in converted_words(line, convert):
                reason = f"glossary, line {rows[word.word]}" if word.reason == "glossary" else word.reason
                yield f"{path}:{number}:{word.column} {word.word} → {word.converted}  ({reason})\n"


def without_words(text: str) -> str:
    """Spaces in place of a text that is not converted; its lines stay, and inline code is marked at its end."""
    blank = "".join(one if one == "\n" else " " for one in text)
    return blank[:-1] + CODE if text.startswith("`") and "\n" not in text else blank
