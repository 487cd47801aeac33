"""`hexapla export`: a catalog per page and language, with the glossary and the translation memory beside them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import hexapla
from hexapla.git import blob_name
from hexapla.glossary import Term
from hexapla.translation.exchange import po, xliff
from hexapla.translation.exchange.merging import mark_of, merged
from hexapla.translation.exchange.term_base import tbx, tmx
from hexapla.translation.history.revisions import source_history
from hexapla.translation.memory.catalog import Catalog, messages
from hexapla.translation.memory.near_matches import suggested
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.status.status import PageStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree

FORMATS = {"po": po, "xliff": xliff}


class ExportedFile(NamedTuple):
    """A file to write: its path below the folder, its bytes, how many messages it holds and how many are finished."""

    path: str
    data: bytes
    messages: int = 0
    finished: int = 0


def page_catalog(tree: TranslationTree, page: PageStatus, memory: TranslationMemory) -> Catalog:
    """The messages of one page in one language, with what the memory has for them."""
    name = blob_name(tree.data(page.source_path))
    found = suggested(memory, page, messages(tree, page, memory.history))
    return Catalog(page.page, page.language, tree.layout.source, page.source_path, name, found)


def exported_files(
    tree: TranslationTree, pages: Sequence[PageStatus], format: str, terms: Sequence[Term],
    earlier: Callable[[str], Catalog | None], beside: Iterable[Catalog] = (),
) -> Iterator[ExportedFile]:
    """The files of an export, by language: a catalog per page, then `memory.tmx` and `glossary.tbx`.

    `earlier` returns the catalog in a file that is there already, whose work stays; `beside` are those of no page.
    """
    history, source = source_history(tree), tree.layout.source
    catalogs: dict[str, list[Catalog]] = {}
    memories = {code: TranslationMemory(tree, code, history) for code in sorted({page.language for page in pages})}
    of_pages = (
        page_catalog(tree, page, memories[page.language]) for page in pages if page.state is not TranslationState.EXTRA
    )
    for made in map(with_marks, chain(of_pages, beside)):
        if not made.messages:
            continue
        catalogs.setdefault(made.language, []).append(made)
        path = f"{made.language}/{made.page}{FORMATS[format].SUFFIX}"
        there = earlier(path)
        made = merged(made, there) if there else made
        finished = sum(bool(each.target) and not each.fuzzy for each in made.messages)
        yield ExportedFile(path, FORMATS[format].dump(made), len(made.messages), finished)
    for language, found in catalogs.items():
        pairs = [each for catalog in found for each in catalog.messages]
        yield ExportedFile(f"{language}/memory.tmx", tmx(pairs, source, language, hexapla.__version__))
        if terms:
            yield ExportedFile(f"{language}/glossary.tbx", tbx(terms, source, language))


def with_marks(catalog: Catalog) -> Catalog:
    """The catalog, each message with the mark of its translation today."""
    return catalog._replace(messages=tuple(each._replace(exported=mark_of(each.target)) for each in catalog.messages))


def export_text(found: Mapping[str, Sequence[ExportedFile]]) -> str:
    """What was exported, in a line per language."""
    return "".join(
        f"{language}: {sum(1 for each in files if each.messages)} pages, "
        f"{sum(each.finished for each in files)} of {sum(each.messages for each in files)} messages translated\n"
        for language, files in found.items()
    )
