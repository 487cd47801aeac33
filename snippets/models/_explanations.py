"""Which traits explain a result of the table, and which results no trait explains."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from _cells import DIFFERS, RAISES, WORKS, Table, TypeRecord
from _texts import concerned_methods, read_texts

TRIED = (WORKS, DIFFERS, RAISES)
# A trait explains a failure if `traits.yml` says that it matters for the method, and if this share of the kinds that
# have it fail, and they are as many.
SHARE, KINDS = 0.5, 2


class Count(NamedTuple):
    """For how many kinds of models a method works, of those on which it was tried."""

    works: int
    tried: int


def count_works(table: Table, method: str, traits: Sequence[str] = ()) -> Count:
    """For how many kinds with all of some traits a method works."""
    results = [record.cells[method].result for record in table.types.values()
               if method in record.cells and set(traits) <= set(record.traits)]
    return Count(results.count(WORKS), sum(each in TRIED for each in results))


def is_explained(count: Count) -> bool:
    """Whether a method that works for so few of the kinds with a trait is explained by it."""
    return count.tried >= KINDS and count.tried - count.works >= SHARE * count.tried


def failing_kinds(table: Table, method: str) -> set[str]:
    """The kinds that a method was tried on and does not work with."""
    return {name for name, record in table.types.items()
            if method in record.cells and record.cells[method].result in (DIFFERS, RAISES)}


def explaining_traits(table: Table, method: str) -> list[tuple[str, Count]]:
    """The traits with which a method mostly does not work; each is for kinds that those before it leave open."""
    counts = {trait: count for trait in sorted(read_texts("traits")) if method in concerned_methods(trait)
              and is_explained(count := count_works(table, method, [trait]))}
    open_kinds, found = failing_kinds(table, method), []
    while counts:
        def weight(trait: str) -> float:
            kinds = sum(trait in table.types[name].traits for name in open_kinds)  # noqa: B023
            return kinds * (1 - counts[trait].works / counts[trait].tried) ** 2

        best = max(counts, key=weight)
        if not weight(best):
            break
        found.append((best, counts.pop(best)))
        open_kinds = {name for name in open_kinds if best not in table.types[name].traits}
    return found


def explain_result(table: Table, record: TypeRecord, method: str) -> list[tuple[str, Count]]:
    """The traits of a kind that explain why a method does not work with it, the clearest first."""
    return [(trait, count) for trait, count in explaining_traits(table, method) if trait in record.traits]


def unexplained_cells(table: Table) -> Iterator[tuple[str, str]]:
    """The kinds and methods that do not go together though no trait of the kind tells why."""
    for method in sorted(table.methods):
        explaining = {trait for trait, _ in explaining_traits(table, method)}
        for name in sorted(failing_kinds(table, method)):
            if not explaining & set(table.types[name].traits):
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
