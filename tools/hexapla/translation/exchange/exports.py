"""`hexapla export`: a file a page and language, the glossary and the finished pairs beside them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

import hexapla
from hexapla.glossary import Term
from hexapla.translation.exchange.catalog import Catalog, messages
from hexapla.translation.revisions import Past, blob
from hexapla.translation.status import PageStanding, State
from hexapla.translation.translation_tree import Tree

FORMATS = ("po", "xliff")


@dataclass(frozen=True, slots=True)
class Exported:
    """A file to write: its path below the folder, its bytes, how many messages it holds and how many are finished."""

    path: str
    data: bytes
    messages: int
    finished: int


def module(format: str) -> ModuleType:
    """What writes and reads a format; its package is imported when it is asked for."""
    if format == "po":
        from hexapla.translation.exchange import po

        return po
    from hexapla.translation.exchange import xliff

    return xliff


def catalog(tree: Tree, page: PageStanding, past: Past) -> Catalog:
    """The messages of one page in one language."""
    source = tree.layout.source
    name = blob(tree.data(page.source_path))
    return Catalog(page.page, page.language, source, page.source_path, name, messages(tree, page, past))


def files(tree: Tree, pages: Sequence[PageStanding], format: str, terms: Sequence[Term]) -> Iterator[Exported]:
    """The files of an export, by language: a catalog a page, then `glossary.tbx` and `memory.tmx`."""
    from hexapla.translation.exchange import memory

    past = Past(tree.layout.root)
    writer = module(format)
    dump: Callable[[Catalog], bytes] = writer.dump
    kept: dict[str, list[Catalog]] = {}
    for page in pages:
        if page.state is State.EXTRA:
            continue
        made = catalog(tree, page, past)
        if not made.messages:
            continue
        kept.setdefault(page.language, []).append(made)
        finished = sum(bool(each.target) and not each.fuzzy for each in made.messages)
        path = f"{page.language}/{page.page}{writer.SUFFIX}"
        yield Exported(path, dump(made), len(made.messages), finished)
    for language, catalogs in kept.items():
        every = [each for found in catalogs for each in found.messages]
        source = tree.layout.source
        yield Exported(f"{language}/memory.tmx", memory.tmx(every, source, language, hexapla.__version__), 0, 0)
        if terms:
            yield Exported(f"{language}/glossary.tbx", memory.tbx(terms, source, language), 0, 0)


def told(found: Mapping[str, Sequence[Exported]]) -> str:
    """What was exported, in a line a language."""
    return "".join(
        f"{language}: {sum(1 for each in files if each.messages)} pages, "
        f"{sum(each.finished for each in files)} of {sum(each.messages for each in files)} messages translated\n"
        for language, files in found.items()
    )
