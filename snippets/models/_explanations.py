"""Which traits explain a result of the table, and which results no trait explains; from the cells alone."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from _cells import DIFFERS, RAISES, WORKS, Table, TypeRecord

TRIED = (WORKS, DIFFERS, RAISES)
SHARE, KINDS = 0.75, 2  # A trait explains a failure if this share of the kinds that have it fail, and they are as many.


class Count(NamedTuple):
    """For how many kinds of models a method works, of those on which it was tried."""

    works: int
    tried: int


def count_works(table: Table, method: str, traits: Sequence[str] = ()) -> Count:
    """For how many kinds with all of some traits a method works."""
    results = [record.cells[method].result for record in table.types.values()
               if method in record.cells and set(traits) <= set(record.traits)]
    return Count(results.count(WORKS), sum(each in TRIED for each in results))


def explain_result(table: Table, record: TypeRecord, method: str) -> list[tuple[str, Count]]:
    """The traits of a kind with which a method mostly does not work, the clearest first."""
    counts = [(trait, count_works(table, method, [trait])) for trait in record.traits]
    found = [(trait, count) for trait, count in counts
             if count.tried >= KINDS and count.tried - count.works >= SHARE * count.tried]
    return sorted(found, key=lambda each: (each[1].works / each[1].tried, -each[1].tried))


def unexplained_cells(table: Table) -> Iterator[tuple[str, str]]:
    """The kinds and methods that do not go together though no trait of the kind tells why."""
    for name, record in sorted(table.types.items()):
        for method, cell in sorted(record.cells.items()):
            if cell.result in (DIFFERS, RAISES) and not explain_result(table, record, method):
                yield name, method


def conflicts(table: Table) -> Iterator[tuple[str, list[str], list[str]]]:
    """Kinds of the same traits of which a method works with some and not with others: method, these, and those."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for name, record in sorted(table.types.items()):
        if record.traits or record.cells:
            alike[record.kind, record.traits].append(name)
    for names in alike.values():
        for method in sorted(table.methods):
            results = {name: table.types[name].cells[method].result for name in names
                       if method in table.types[name].cells}
            works = [name for name, result in results.items() if result == WORKS]
            fails = [name for name, result in results.items() if result in (DIFFERS, RAISES)]
            if works and fails:
                yield method, works, fails
