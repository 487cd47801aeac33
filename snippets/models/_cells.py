"""The table of what works with which kind of model: its records, and the file in which they are kept.

    {"schema": 1, "versions": {"torch": "2.13.0", ...},
     "methods": {"packing": {"section": "packing#packing", "measure": "logits", "tolerance": 0.0001}},
     "types": {"llama": {"class": "LlamaForCausalLM", "kind": "decoder", "date": "2026-11-27", "failure": "",
                         "traits": ["grouped-heads"], "source": "91c2",
                         "cells": {"packing": {"difference": 2.1e-07, "result": "works", "source": "0f3a"}},
                         "digest": "sha256:..."}}}

The digest is over the rest of a type, so that a line changed by hand does not pass for one that was tried. Only the
standard library is needed.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = 1
FILE = Path(__file__).parent / "evidence.json"
WORKS, DIFFERS, RAISES, NOT_APPLICABLE, NOT_TRIED = "works", "differs", "raises", "not-applicable", "not-tried"
RESULTS = (WORKS, DIFFERS, RAISES, NOT_APPLICABLE, NOT_TRIED)


class TableError(ValueError):
    """A file that is not such a table; the message says what is wrong."""


@dataclass(frozen=True)
class Cell:
    """What came of a method on a type: by how much it differs, what it raised, why it is not for it.

    `source` is the hash of the function that tried it.
    """

    result: str
    difference: float | None = None
    message: str = ""
    source: str = ""


@dataclass(frozen=True)
class TypeRecord:
    """A type of the table; `failure` is the message of a model that could not be built, which has no cells.

    `source` is the hash of the tiny configuration and of what makes the weights and inputs, `traits_source` that of
    the definitions of the traits. A type without a date was not reached.
    """

    architecture: str
    kind: str
    date: str
    failure: str = ""
    source: str = ""
    traits_source: str = ""
    traits: tuple[str, ...] = ()
    cells: Mapping[str, Cell] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """All types that were tried, what methods there were, and with which versions."""

    versions: Mapping[str, str]
    methods: Mapping[str, Mapping[str, Any]]
    types: Mapping[str, TypeRecord]


def digest(fields: Mapping[str, Any]) -> str:
    """The hash of a type's fields but the digest itself."""
    rest = {name: value for name, value in fields.items() if name != "digest"}
    packed = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(packed.encode()).hexdigest()[:32]}"


def dump_table(table: Table) -> str:
    """The file's text: sorted, one cell a line, so that a review shows what changed."""
    types = {}
    for name, record in sorted(table.types.items()):
        fields = asdict(record) | {"traits": list(record.traits)}
        fields["cells"] = {method: brief(cell) for method, cell in sorted(record.cells.items())}
        types[name] = fields | {"digest": digest(fields)}
    lines = [f'"schema": {SCHEMA},', f'"versions": {compact(dict(sorted(table.versions.items())))},', '"methods": {']
    lines += joined([f"  {compact(name)}: {compact(value)}" for name, value in sorted(table.methods.items())])
    lines += ["},", '"types": {']
    texts = []
    for name, fields in types.items():
        cells = joined([f"    {compact(method)}: {compact(cell)}" for method, cell in fields["cells"].items()])
        head = compact({key: value for key, value in fields.items() if key != "cells"})[1:-1]
        texts.append("\n".join([f"  {compact(name)}: {{{head}, \"cells\": {{", *cells, "  }}"]))
    lines += ["\n".join(joined(texts)), "}"]
    return "{\n" + "\n".join(lines) + "\n}\n"


def brief(cell: Cell) -> dict[str, Any]:
    """The fields of a cell that say something."""
    return {name: value for name, value in asdict(cell).items() if value not in (None, "")}


def compact(value: Any) -> str:
    """JSON on one line."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def joined(lines: list[str]) -> list[str]:
    """A comma after each line but the last."""
    return [line + "," for line in lines[:-1]] + lines[-1:]


def parse_table(text: str) -> Table:
    """Parse the file's text. Raises TableError for what is damaged or was changed by hand."""
    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise TableError(f"has schema {data['schema']!r} where {SCHEMA} is read")
        types = {}
        for name, fields in data["types"].items():
            if fields.get("digest") != digest(fields):
                raise TableError(f"the record of {name} was changed by hand: its digest does not hold")
            rest = {key: value for key, value in fields.items() if key != "digest"}
            rest["cells"] = {method: Cell(**cell) for method, cell in fields["cells"].items()}
            types[name] = TypeRecord(**rest | {"traits": tuple(fields["traits"])})
        return Table(data["versions"], data["methods"], types)
    except TableError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TableError(f"is not a table of tries ({error})") from error


def read_table(file: Path = FILE) -> Table:
    """Read a table; an empty one if there is no file. Raises TableError."""
    return parse_table(file.read_text(encoding="utf-8")) if file.exists() else Table({}, {}, {})


def write_table(table: Table, file: Path = FILE) -> None:
    """Write a table, whole or not at all."""
    beside = file.with_suffix(f".{os.getpid()}.new")
    beside.write_text(dump_table(table), encoding="utf-8")
    beside.replace(file)
