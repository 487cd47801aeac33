"""What about my model? Its traits, and which methods of the guide work with models of its kind.

    python snippets/models/lookup.py qwen3                     # a kind of model, `model_type` in its config.json
    python snippets/models/lookup.py path/of/a/checkpoint      # a folder, or its config.json

Nothing is downloaded and no code of a checkpoint is run.
"""

import argparse
import difflib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))
from _cells import (
    DIFFERS,
    NOT_APPLICABLE,
    NOT_TRIED,
    RAISES,
    WORKS,
    Cell,
    Table,
    TableError,
    TypeRecord,
    read_table,
)
from _explanations import count_works, explain_result
from _names import find_kind
from _texts import condition, divided_settings, read_texts, reason, remedy, title
from _traits import decide_traits, number_divided


class LookupFailure(ValueError):
    """What was named cannot be looked up; the message says what to do."""


@dataclass(frozen=True)
class Question:
    """What is known of the model in question: its kind, its settings if it has any, and what could not be read."""

    model_type: str
    settings: Mapping[str, Any]
    remarks: tuple[str, ...] = ()


def read_question(name: str, table: Table) -> Question:
    """Read a kind's or a checkpoint's name, a folder or a configuration file. Raises LookupFailure."""
    path = Path(name)
    if name in table.types and not path.exists():
        return Question(name, {})
    if path.is_dir():
        path = path / "config.json"
    if not path.is_file() and (kind := find_kind(name, table.types)):
        return Question(kind, {}, (f"{name} is read as {kind}; model_type in its config.json decides.",))
    if not path.is_file():
        alike = ", ".join(difflib.get_close_matches(name.rpartition("/")[2].lower(), table.types, cutoff=0.5))
        raise LookupFailure(
            f"{name} is neither a kind of model in the table {f'({alike}?) ' if alike else ''}nor a file or folder "
            f"here. For a model on the Hub, download its config.json and pass the file's path; `--list` prints "
            f"the kinds.")
    return read_configuration(path.read_text(encoding="utf-8", errors="replace"), str(path))


def read_configuration(text: str, where: str) -> Question:
    """Read a configuration, of a damaged one the kind if it can be found. Raises LookupFailure."""
    try:
        settings = json.loads(text)
    except ValueError as error:
        found = re.search(r'"model_type"\s*:\s*"([\w.+-]+)"', text)
        if not found:
            raise LookupFailure(f"{where} is not JSON ({error}), and no model_type can be read in it.") from error
        return Question(found[1], {}, (f"{where} is not JSON ({error}): only its model_type was read.",))
    if not isinstance(settings, dict):
        raise LookupFailure(f"{where} holds no settings: its JSON is a {type(settings).__name__}.")
    remarks = []
    if "auto_map" in settings:
        remarks.append("The checkpoint brings code of its own, which was not run: the cells are those of transformers' "
                       "model of this kind.")
    kind = settings.get("model_type")
    if not isinstance(kind, str):
        kind = ""
        remarks.append("The configuration names no model_type: only what its settings show is said.")
    return Question(kind, settings, tuple(remarks))


def traits_decided(settings: Mapping[str, Any]) -> dict[str, bool]:
    """Whether each trait holds that settings decide; none of a configuration with a damaged setting."""
    try:
        return decide_traits(settings)
    except (TypeError, ValueError, AttributeError):
        return {}


def traits_shown(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The traits that settings show."""
    return tuple(name for name, holds in traits_decided(settings).items() if holds)


def print_traits(names: tuple[str, ...]) -> None:
    """Print each trait with why it matters."""
    for name in names:
        print(f"  {name:24}{reason(name) if name in read_texts('traits') else ''}")


def print_known(question: Question, record: TypeRecord, table: Table) -> None:
    """Print the traits and cells of a kind that was tried."""
    decided = traits_decided(question.settings)
    print(f"{question.model_type}: {record.architecture}, tried as {record.kind} on {record.date}, "
          f"transformers {table.versions.get('transformers')}")
    gone = tuple(name for name in record.traits if decided.get(name) is False)
    print("\nTraits of the model that was tried" if record.traits else "\nTraits: none of the table")
    print_traits(tuple(name for name in record.traits if name not in gone))
    if more := tuple(name for name, holds in decided.items() if holds and name not in record.traits):
        print("\nTraits that your configuration has beside them")
        print_traits(more)
    if gone:
        print("\nTraits of it that your configuration lacks")
        print_traits(gone)
    print("\nMethods")
    for method in sorted(record.cells, key=list(read_texts("methods")).index):
        print_cell(table, record, method, more, gone, number_divided(question.settings, divided_settings(method)))


def print_cell(table: Table, record: TypeRecord, method: str, more: Sequence[str], gone: Sequence[str],
               divided: float) -> None:
    """Print a cell: the result, by how much, the traits that explain it, and what to do.

    Where ranks must divide 1, a method that works for the kind does not for this configuration; one that fails for a
    trait that the configuration lacks was not tried with it.
    """
    cell, about = record.cells[method], table.methods.get(method, {})
    explained = explain_result(table, record, method)[:1] if cell.result in (DIFFERS, RAISES) else []
    if explained and explained[0][0] in gone:
        cell, explained = Cell(NOT_TRIED, message=f"{cell.result} with {explained[0][0]}"), []
    parts = ["not with this configuration" if cell.result == WORKS and divided == 1 else cell.result]
    if cell.result == DIFFERS and cell.difference is not None:
        parts.append(f"by {cell.difference:g} ({about.get('measure', '')})")
    if cell.result in (NOT_APPLICABLE, NOT_TRIED) and cell.message:
        parts.append(f"({cell.message})")
    parts += [f"[works for {count.works} of {count.tried} kinds with {trait}]" for trait, count in explained]
    if cell.result not in (DIFFERS, RAISES):
        parts += [f"[but works for {count.works} of {count.tried} kinds with {trait}]" for trait in more
                  if (count := count_works(table, method, [trait])).tried and count.works < count.tried / 2]
    print(f"  {title(method):44}{' '.join(parts)}  {about.get('section', '')}")
    if cell.result in (DIFFERS, RAISES):
        because = explained[0][0] if explained else ""
        for line in filter(None, (cell.message, remedy(method, because) or remedy(method))):
            print(f"  {'':44}{line}")
    elif cell.result == WORKS and divided:
        print(f"  {'':44}{condition(method, divided)}")


def print_unknown(question: Question, table: Table) -> None:
    """Print what settings alone show of a kind that was not tried."""
    shown = traits_shown(question.settings)
    print(f"{question.model_type or 'This kind'} has no cells in the table. These are the traits that its settings "
          f"alone show, and for each method with how many kinds of the same traits it works.")
    print("\nTraits" if shown else "\nTraits: its settings show none")
    print_traits(shown)
    print("\nMethods")
    for method in sorted(table.methods, key=list(read_texts("methods")).index):
        count = count_works(table, method, shown)
        print(f"  {title(method):44}works for {count.works} of {count.tried} kinds with these traits")
        if divided := number_divided(question.settings, divided_settings(method)):
            print(f"  {'':44}{condition(method, divided)}")


def answer(name: str, table: Table) -> None:
    """Print what is known of a model. Raises LookupFailure."""
    question = read_question(name, table)
    for remark in question.remarks:
        print(remark)
    record = table.types.get(question.model_type)
    if record is None:
        print_unknown(question, table)
    elif record.failure or not record.date:
        print(f"The sweep could not make a tiny {question.model_type}: {record.failure}" if record.failure
              else f"The sweep has not reached {question.model_type}.")
        print_unknown(question, table)
    else:
        print_known(question, record, table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", default="llama", help="a kind, a checkpoint's name or folder, a config.json")
    parser.add_argument("--list", action="store_true", help="print the kinds of models in the table")
    options = parser.parse_args()
    try:
        table = read_table()
        if options.list:
            print("\n".join(sorted(table.types)))
        else:
            answer(options.name, table)
    except (LookupFailure, TableError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
