"""The translator's commands: the state of translations, and the ways to work on them."""

import argparse
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from hexapla.cli.terminal import FOUND, coloured, needing, say
from hexapla.config.project import find_project, find_terms, load_project

if TYPE_CHECKING:
    from hexapla.glossary import Term
    from hexapla.translation.exchange.imports import Judge
    from hexapla.translation.translation_tree import Tree


def status(chosen: argparse.Namespace) -> int:
    """`hexapla status`: what is current, behind and missing, by page and section. Being behind is no failure."""
    from hexapla.translation import answers, revisions, service

    tree = translated_tree(chosen)
    whole = not (chosen.pages or chosen.since or chosen.views)
    question = answers.Question(tree, (chosen.format, str(coloured()), *tree.languages)) if whole else None
    if question and (said := question.kept()) is not None:
        sys.stdout.write(said)
        return 0
    with all_kept():
        pages = service.survey(tree, chosen.pages, chosen.views)
    if not chosen.pages:
        tree.remember()
    if chosen.since:
        with revisions.at(tree.layout.root, chosen.since) as folder:
            languages = chosen.languages if chosen.layout else None  # some may have been added since
            before = argparse.Namespace(**{**vars(chosen), "root": folder, "languages": languages})
            then = service.survey(translated_tree(before))
        pages = service.fallen(then, pages)
    said = service.status_report(chosen.format, pages, service.notes(tree), tree, english, coloured())
    if question:
        question.keep(said)
    sys.stdout.write(said)
    return 0


def diff(chosen: argparse.Namespace) -> int:
    """`hexapla diff`: what changed in the source since a translation was made, the translation beside it."""
    from hexapla.translation import service

    sys.stdout.write(service.diff(translated_tree(chosen), chosen.pages, chosen.section, chosen.language, coloured()))
    return 0


def sync(chosen: argparse.Namespace) -> int:
    """`hexapla sync`: read, still right: the translation stands for today's source."""
    from hexapla.translation import service

    tree = translated_tree(chosen)
    done = service.sync(tree, chosen.pages, chosen.section, chosen.language, chosen.write)
    sys.stdout.write(service.sync_text(done, chosen.write))
    return 0


def translate(chosen: argparse.Namespace) -> int:
    """`hexapla translate`: the pages side by side in a browser, until Ctrl+C."""
    from hexapla.editor.server import application, serve

    with needing("translate"):
        make = application(lambda: translated_tree(chosen), find_terms(chosen.root))
    serve(make, chosen.port, say)
    return 0


def export(chosen: argparse.Namespace) -> int:
    """`hexapla export`: the pages' messages for translators' own tools."""
    from hexapla.translation.exchange import service

    tree, terms = translated_tree(chosen), find_terms(chosen.root)
    with needing("translate"):
        told = service.export(tree, chosen.pages, chosen.language, chosen.format, chosen.output, terms)
    sys.stdout.write(told)
    return 0


def import_files(chosen: argparse.Namespace) -> int:
    """`hexapla import`: translations out of translators' files; what `check` calls an error is refused."""
    from hexapla.translation.exchange import service

    tree = translated_tree(chosen)
    with needing("translate"):
        found = service.bring(tree, chosen.folder, judge(tree, find_terms(chosen.root)), chosen.write)
    print(*service.told(found, chosen.write), sep="\n")
    return FOUND if service.refused(found) else 0


def judge(tree: "Tree", terms: "tuple[Term, ...]") -> "Judge":
    """What says which errors a text would bring into a page of a tree."""
    from hexapla.checks.engine import overlay
    from hexapla.translation.exchange.imports import Fault

    checker = overlay.overlay_checker(tree.layout, terms)

    def faults(path: str, language: str, name: str, text: str) -> list[Fault]:
        found = overlay.new_errors(checker, path, language, name, text)
        return [Fault(item.line, f"{item.rule}: {item.message}") for item in found]

    return faults


def add_language(chosen: argparse.Namespace) -> int:
    """`hexapla add-language`: all that a new language starts from."""
    from hexapla.site.strings import table
    from hexapla.translation import new_language

    project = find_project(chosen.root)
    new = new_language.files(project, chosen.code, chosen.name, table()["en"], chosen.code in table())
    if chosen.write:
        new_language.put(new)
    for file in new:
        print(f"{file.relative_to(project.root)}: {'written' if chosen.write else 'would be written'}")
    if not new:
        print(f"nothing to write: {chosen.code} is set up")
    print(f"next: hexapla status, then translate into docs/{chosen.code}/" if chosen.write or not new
          else "nothing was written; set it up with --write")
    return 0


def translated_tree(chosen: argparse.Namespace) -> "Tree":
    """The tree that options name, with what its sections show besides their text."""
    from hexapla.cli.options import tree_options
    from hexapla.config.discovery import SnippetFolders, find_layout
    from hexapla.examples.outputs import of_texts, outputs
    from hexapla.translation.translation_tree import Recordings, read

    place = find_layout(tree_options(chosen))
    snippet = SnippetFolders(place.snippets).read
    if not (place.root / "mkdocs.yml").is_file():
        return read(place, snippet, lambda path: "")
    project = load_project(place.root)
    recordings = Recordings(project.evidence, partial(of_texts, hardware=tuple(project.hardware)))
    return read(place, snippet, outputs(project), recordings=recordings)


def english(name: str, /, **values: object) -> str:
    """A sentence of the site in English."""
    from hexapla.site.strings import say

    return say("en", name, **values)


def nothing(path: str) -> str:
    """A tree without snippets has no included files."""
    raise FileNotFoundError(path)


@contextmanager
def all_kept() -> Iterator[None]:
    """For work that makes much and throws away little: to look for garbage in it takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
