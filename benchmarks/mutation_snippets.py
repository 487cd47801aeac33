"""Disable the central line of each snippet; its test must fail: `python -m benchmarks.mutation_snippets [SELECT...]`.

`mutation_snippets.yml` says which line, and what takes its place. Each mutation runs in a copy of the tree and in a
process of its own, forked from one that has imported PyTorch already. Caught: a test failed. A test that passes, cannot
be collected or does not end in time is not. Tests that need another environment are not run.
"""

import argparse
import contextlib
import multiprocessing
import os
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from hexapla.examples.markers import CORE, read_requirements

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_suffix(".yml")
OUTCOMES = {0: "passed", 1: "caught"}  # pytest's exit codes; any other one is an error of the mutation


@dataclass(frozen=True, slots=True)
class Mutation:
    """In `snippet`, `line` becomes `becomes`."""

    snippet: str
    line: str
    becomes: str


def read(table: str) -> list[Mutation]:
    """The mutations of a table: snippet -> line -> what it becomes."""
    entries: dict[str, dict[str, str]] = yaml.safe_load(table)
    return [Mutation(snippet, line, becomes) for snippet, lines in entries.items() for line, becomes in lines.items()]


def mutate(source: str, mutation: Mutation) -> str:
    """The source with the line changed. Raises ValueError where it does not stand there exactly once."""
    if source.count(mutation.line) != 1:
        place = f"{mutation.snippet}: {mutation.line!r}"
        raise ValueError(f"{place} is there {source.count(mutation.line)} times; name one place in {TABLE.name}")
    return source.replace(mutation.line, mutation.becomes)


def test_of(snippet: str) -> str:
    path = Path(snippet)
    return f"tests/snippets/{path.parent}/test_{path.name}"


def outcome(mutation: Mutation, timeout: float = 600) -> str:
    """What the snippet's test says of it."""
    source = mutate((ROOT / "snippets" / mutation.snippet).read_text("utf-8"), mutation)
    if read_requirements((ROOT / test_of(mutation.snippet)).read_text("utf-8")).environment != CORE:
        return "not run"
    with TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("snippets", "tests/snippets", "tests/cases"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "mkdocs.yml"):
            shutil.copy(ROOT / name, copy / name)
        (copy / "snippets" / mutation.snippet).write_text(source, "utf-8")
        child = multiprocessing.get_context("fork").Process(target=run_test, args=(copy, test_of(mutation.snippet)))
        child.start()
        child.join(timeout)
        if child.is_alive():
            child.kill()
            child.join()
            return "no end"
    return OUTCOMES.get(child.exitcode or 0, f"error {child.exitcode}")


def run_test(folder: Path, test: str) -> None:
    """In the child: pytest on one module, quietly; the exit code is the answer."""
    os.chdir(folder)
    with Path(os.devnull).open("w") as void, contextlib.redirect_stdout(void), contextlib.redirect_stderr(void):
        code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", test])
    os._exit(code)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("select", nargs="*", help="the start of a snippet's path, as train_one or train_one/fp16.py")
    select = tuple(parser.parse_args().select)
    import accelerate  # noqa: F401  (imported once, here, for all children)
    import torch
    import transformers.trainer  # noqa: F401

    torch.set_num_threads(1)
    counts: Counter[str] = Counter()
    for mutation in read(TABLE.read_text("utf-8")):
        if not select or mutation.snippet.startswith(select):
            result = outcome(mutation)
            counts[result] += 1
            line = " ".join(mutation.line.split())
            print(f"{result:14} {mutation.snippet:44} {line}", flush=True)
    run = counts.total() - counts["not run"]
    print(f"{counts['caught']} of {run} caught, {counts['not run']} not run")
    return 0 if counts["caught"] == run > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
