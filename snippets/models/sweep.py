"""The sweep: each method of the guide tried on a tiny model of each kind, and the table of what came of it.

    python snippets/models/sweep.py llama gemma2              # try two kinds and print the cells
    python snippets/models/sweep.py --write --within 600      # all of them, for ten minutes; again goes on
    python snippets/models/sweep.py --unexplained             # the cells of the table that no trait explains
"""

import argparse
import contextlib
import datetime
import gc
import hashlib
import importlib
import inspect
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))
import _building
import _traits
import torch
import transformers
from _building import Subject, batch, build, known_types
from _cells import (
    DIFFERS,
    FILE,
    NOT_APPLICABLE,
    NOT_TRIED,
    RAISES,
    WORKS,
    Cell,
    Table,
    TypeRecord,
    read_table,
    write_table,
)
from _comparison import NoEffect, NotApplicable, logits
from _explanations import conflicts, unexplained_cells
from _methods import BY_NAME, METHODS, Method
from _traits import traits_of

SECONDS, MEMORY = 60, 6 * 2**30  # of one try
MOST_WEIGHTS = 40_000_000
ORDER = ("decoder", "encoder", "encoder-decoder", "text of a multimodal model", "speech", "image", "audio")
# Read at the start: the file may change while the sweep is under way.
TRAITS_SOURCE = hashlib.sha256(Path(_traits.__file__).read_bytes()).hexdigest()[:8]
FILLED_BY = "".join(inspect.getsource(each) for each in (_building.randomize, _building.batch, _building.build))
PACKAGES = ("torch", "transformers", "accelerate", "peft", "torchao", "bitsandbytes", "safetensors")


def first_line(error: BaseException) -> str:
    """The type and the first line of an exception's message, without what differs from run to run."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = " ".join(lines[:2]) if lines and lines[0].endswith(":") else "".join(lines[:1])
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return text.replace(tempfile.gettempdir(), "TMP")[:240]


def try_method(subject: Subject, method: Method) -> Cell:
    """Try one method on a model and record what came of it."""
    if method.kinds and subject.kind not in method.kinds:
        return Cell(NOT_APPLICABLE, message=f"not for this kind of model: {subject.kind}", source=method.source)
    try:
        difference = method.attempt(subject)
    except NotApplicable as reason:
        return Cell(NOT_APPLICABLE, message=str(reason), source=method.source)
    except NoEffect as reason:
        return Cell(DIFFERS, message=str(reason), source=method.source)
    except Exception as error:  # Whatever a method raises is what the table is to say.
        return Cell(RAISES, message=first_line(error), source=method.source)
    if difference != difference:
        return Cell(DIFFERS, message="the result is not a number", source=method.source)
    return judged(Cell(WORKS, float(f"{difference:.2g}"), source=method.source), method)


def run_in_fork(work: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """Do some work in a process of its own; its JSON, or a string that says how the process ended without one.

    The process that forks must never have run a backward pass: PyTorch refuses another one in its forks.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        code = 1
        try:
            os.setpgid(0, 0)  # So that its own processes end with it.
            os.close(reading)
            for stream in (1, 2):  # What libraries print is not what the table is about.
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            signal.alarm(int(seconds) + 5)  # Were the process gone that waits for it.
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            os.write(writing, json.dumps(work()).encode())
            code = 0
        finally:
            os._exit(code)  # Whatever is raised, the fork must not go on with what its parent does.
    os.close(writing)
    received, late, end = b"", False, time.monotonic() + seconds
    while select.select([reading], [], [], max(0, end - time.monotonic()))[0]:
        if not (part := os.read(reading, 1 << 16)):
            break
        received += part
    else:
        late = True
        os.killpg(process, signal.SIGKILL)
    os.close(reading)
    _, status = os.waitpid(process, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    if received and status == 0:
        return json.loads(received)
    return f"no result within {seconds:g} s" if late else f"the process ended with status {status}"


def cell_of(subject: Subject, method: Method) -> Cell:
    """A cell from a process of its own."""
    found = run_in_fork(lambda: vars(try_method(subject, method)))
    if isinstance(found, str):  # A try that takes too long says nothing of the model: it is made again.
        return Cell(NOT_TRIED if "no result" in found else RAISES, message=found, source=method.source)
    return Cell(**found)


def check_plain_path(subject: Subject) -> None:
    """Raise ValueError unless the model is tiny and two passes give the same finite numbers."""
    if (weights := sum(weight.numel() for weight in subject.model.parameters())) > MOST_WEIGHTS:
        raise ValueError(f"the model that was made small still has {weights:,} weights")
    first, second = logits(subject.model, batch(subject)), logits(subject.model, batch(subject))
    if not first.isfinite().all():
        raise ValueError("the plain logits of the tiny model are not finite")
    if not torch.equal(first, second):
        raise ValueError("two passes of the tiny model do not give the same logits")


def model_source(config: transformers.PreTrainedConfig) -> str:
    """The hash of a tiny configuration and of what fills the model and makes its inputs."""
    text = json.dumps(config.to_dict(), sort_keys=True, default=str) + FILLED_BY
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def try_type(model_type: str, methods: Sequence[Method], old: TypeRecord | None, end: float) -> dict[str, Any]:
    """Build the model of a type, and try those methods on it whose cells are missing or outdated."""
    architecture, kind = known_types()[model_type]
    record = TypeRecord(architecture, kind, datetime.date.today().isoformat())
    try:
        source = model_source(_building.tiny_config(model_type))
        subject = build(model_type)
        check_plain_path(subject)
        traits = traits_of(subject.config.to_dict(), subject.model)
    except Exception as error:  # No tiny model: the table says why.
        return vars(replace(record, failure=first_line(error)))
    record = replace(record, traits=traits, source=source, traits_source=TRAITS_SOURCE)
    cells = dict(old.cells) if old and old.source == source else {}
    for method in methods:
        if time.monotonic() > end:
            break
        known = cells.get(method.name)
        if known is None or known.result == NOT_TRIED or known.source != method.source:
            cells[method.name] = cell_of(subject, method)
    return vars(replace(record, cells={name: vars(cell) for name, cell in cells.items()}))


def record_of(model_type: str, methods: Sequence[Method], old: TypeRecord | None, end: float) -> TypeRecord:
    """The record of a type, from a process of its own."""
    folder = tempfile.mkdtemp()
    tempfile.tempdir = folder
    try:
        found = run_in_fork(lambda: try_type(model_type, methods, old, end), seconds=SECONDS * len(METHODS))
    finally:
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)
    if isinstance(found, str):
        architecture, kind = known_types()[model_type]
        return TypeRecord(architecture, kind, datetime.date.today().isoformat(), failure=found)
    cells = {name: Cell(**cell) for name, cell in found.pop("cells").items()}
    return TypeRecord(**found | {"traits": tuple(found["traits"]), "cells": cells})


def versions() -> dict[str, str]:
    """The versions of what the methods run on."""
    return {"python": ".".join(map(str, sys.version_info[:3]))} | {name: version(name) for name in PACKAGES}


def is_pending(record: TypeRecord | None, methods: Sequence[Method]) -> bool:
    """Whether a cell of a type is missing or outdated."""
    if record is None or record.failure or record.traits_source != TRAITS_SOURCE:
        return True
    cells = [record.cells.get(method.name) for method in methods]
    return any(cell is None or cell.result == NOT_TRIED or cell.source != method.source
               for cell, method in zip(cells, methods, strict=True))


def judged(cell: Cell, method: Method) -> Cell:
    """The cell with its result by today's tolerance of the method."""
    if cell.difference is None:
        return cell
    return replace(cell, result=WORKS if cell.difference <= method.tolerance else DIFFERS)


def complete(table: Table) -> Table:
    """The table with a cell for each type and method; those that were not reached say so."""
    types = {}
    for name, (architecture, kind) in known_types().items():
        record = table.types.get(name) or TypeRecord(architecture, kind, "")
        missing = {} if record.failure else {each.name: Cell(NOT_TRIED) for each in METHODS}
        cells = {each: judged(cell, BY_NAME[each]) for each, cell in record.cells.items() if each in BY_NAME}
        types[name] = replace(record, cells={**missing, **cells})
    methods = {each.name: {"section": each.section, "measure": each.measure, "tolerance": each.tolerance}
               for each in METHODS}
    return Table(versions(), methods, types)


def sweep(
    types: Sequence[str], methods: Sequence[Method], table: Table, end: float
) -> Iterator[tuple[str, TypeRecord]]:
    """Try the methods on the types, turn by turn, until the time is over."""
    records = dict(table.types)
    for turn in sorted({method.turn for method in methods}):
        chosen = [method for method in methods if method.turn == turn]
        for name in types:
            if time.monotonic() > end:
                return
            old = records.get(name)
            if chosen and is_pending(old, chosen) and not (turn and old and old.failure):
                records[name] = record_of(name, chosen, old, end)
                yield name, records[name]


def prepare() -> None:
    """Import once what each process would, one thread each; warnings are not what the table is about."""
    os.environ.setdefault("DS_ACCELERATOR", "cpu")  # Where DeepSpeed is installed it prints a guess otherwise.
    for name in ("accelerate", "peft", "torchao.quantization", "bitsandbytes", "deepspeed", "transformers.trainer"):
        importlib.import_module(name)
    for method in METHODS:
        assert method.source  # Read now, for the same reason.
    gc.freeze()  # Or each full collection of a try would walk, and so copy, what it shares with the others.
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def print_record(name: str, record: TypeRecord) -> None:
    """Print the cells of a type."""
    print(f"{name} ({record.architecture}): {record.failure or ', '.join(record.traits)}")
    for method, cell in record.cells.items():
        difference = "" if cell.difference is None else f"{cell.difference:.1e}"
        print(f"  {method:24}{cell.result:16}{difference:9}{cell.message}"[:150])


def print_unexplained(table: Table) -> None:
    """Print what the traits leave open: the table's defects."""
    for name, method in unexplained_cells(table):
        cell = table.types[name].cells[method]
        print(f"{name}: {method} {cell.result} {cell.message or cell.difference}, and no trait of it tells why")
    for method, works, fails in conflicts(table):
        print(f"{method} works with {', '.join(works)} and not with {', '.join(fails)}, whose traits are the same")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("types", nargs="*", metavar="TYPE", help="kinds of models; all of them with --write")
    parser.add_argument("--methods", nargs="*", default=list(BY_NAME), choices=BY_NAME, metavar="METHOD")
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS", help="stop after this time")
    parser.add_argument("--write", action="store_true", help="write the table; cells that it has are not tried again")
    parser.add_argument("--unexplained", action="store_true", help="print the cells that no trait explains")
    parser.add_argument("--file", type=Path, default=FILE, help="the table")
    options = parser.parse_args()
    if options.unexplained:
        print_unexplained(read_table(options.file))
        return
    prepare()
    end = time.monotonic() + options.within
    known = known_types()
    everything = sorted(known, key=lambda name: (ORDER.index(known[name][1]), name))
    types = options.types or (everything if options.write else ["llama"])
    methods = [BY_NAME[name] for name in options.methods]
    table = read_table(options.file) if options.write else Table({}, {}, {})
    if table.versions != versions():
        table = Table(versions(), {}, {})  # Other versions: every cell is tried again.
    for name, record in sweep(types, methods, table, end):
        table = replace(table, types={**table.types, name: record})
        if options.write:
            write_table(complete(table), options.file)
            works = [cell.result for cell in record.cells.values()].count(WORKS)
            print(f"{name}: {record.failure or f'{works} of {len(record.cells)} methods work'}", flush=True)
        else:
            print_record(name, record)


if __name__ == "__main__":
    main()
