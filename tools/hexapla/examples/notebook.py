"""A snippet as a Jupyter notebook that runs alone: its helpers are written by the first cells."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from hexapla.cache import Cache, key_of
from hexapla.examples.evidence import Run
from hexapla.examples.snippet import Snippets

MARKER = re.compile(r"^[ \t]*# --8<-- \[.*\]\n", re.M)
# A program that starts itself again cannot live in cells; a helper may do so for it. Nor can one that looks for its
# own file, which a helper has in a notebook too.
OWN_PROCESSES = re.compile(r"\bmultiprocessing\b|\bspawn\b|\btorchrun\b")
SYS_PATH = re.compile(r"^[ \t]*sys\.path\b.*", re.M)
QUOTED = re.compile(r"""["'](\w+)["']""")  # a folder beside the snippet's: parent.parent / "memory"


def cached_notebook(cache: Cache, snippets: Snippets, path: str, run: Run | None) -> bytes:
    """The notebook of a snippet, from the cache if one was made of the same texts before; `run` has the versions."""
    beside = {name: snippets.read(name) for name in files_beside(snippets, path)}
    modules = [path, *(name for name in beside if name.endswith(".py"))]
    imports = {name for each in modules for name in snippets.packages(each)} - {Path(each).stem for each in modules}
    wanted = [*pinned_packages(imports, run)]
    key = key_of("notebook", path, snippets.read(path), beside, wanted)
    text: str | None = cache.get(key)
    if text is None:
        text = make_notebook(path, snippets.read(path), beside, wanted)
        cache.put(key, text)
    return text.encode()


def files_beside(snippets: Snippets, path: str) -> list[str]:
    """The files that a snippet needs beside it: those of its helpers too, and imports from folders in `sys.path`."""
    found, folders, modules, waiting = set[str](), set[str](), set[str](), [path]
    while waiting:
        new = snippets.files(waiting.pop()) - found
        found |= new
        for name in new:
            if name.endswith(".py"):
                modules |= snippets.modules(name)
                folders |= {each for line in SYS_PATH.findall(snippets.read(name)) for each in QUOTED.findall(line)}
        elsewhere = {f"{folder}/{module}.py" for folder in folders for module in modules}
        helpers = {name for name in new if name.endswith(".py")} - {path}
        waiting += [name for name in helpers | elsewhere - found if (snippets.root / name).is_file()]
    return sorted(found - {path})


def pinned_packages(imports: set[str], run: Run | None) -> Iterator[str]:
    """The packages to install, with the versions that the snippet ran with, as far as they are known."""
    versions, distributions = (run.versions, run.distributions) if run else ({}, {})
    for package in sorted(imports | ({"accelerate"} if "transformers" in imports else set())):
        if package in versions:
            yield f"{distributions.get(package, package)}=={versions[package].partition('+')[0]}"
        elif run is None:
            yield package


def make_notebook(path: str, source: str, beside: Mapping[str, str], wanted: list[str]) -> str:
    """The text of a .ipynb file, the same for the same arguments."""
    name, tree = Path(path).name, ast.parse(source)
    cells = [("markdown", f"# {path}\n\n{ast.get_docstring(tree) or ''}".rstrip())]
    if wanted:
        cells.append(("code", f"%pip install --quiet {' '.join(wanted)}"))
    cells += [("code", f"%%writefile {Path(other).name}\n{text}") for other, text in beside.items()]
    programs = [source, *(text for other, text in beside.items() if other.endswith(".py"))]
    if "__file__" in source or any(map(OWN_PROCESSES.search, programs)):
        cells.append(("code", f"%%writefile {name}\n{MARKER.sub('', source)}"))
        cells.append(("code", f"!python {name}"))
    else:
        cells += [("code", cell) for cell in cut_cells(source, tree)]
    book = {
        "cells": [make_cell(number, *cell) for number, cell in enumerate(cells)],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4, "nbformat_minor": 5,
    }
    return json.dumps(book, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def make_cell(number: int, kind: str, text: str) -> dict[str, object]:
    """A cell as nbformat 4.5 has it; a random id would make every build another."""
    cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def cut_cells(source: str, tree: ast.Module) -> Iterator[str]:
    """The source below its docstring by cells: one for the top of the file, then one a definition."""
    lines = source.splitlines(keepends=True)
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If)
    begins = sorted({
        first_line(node, lines)
        for before, node in zip([None, *body], body, strict=False)
        if before is None or isinstance(node, definitions) or isinstance(before, definitions)
    })
    for begin, end in pairwise([*begins, len(lines) + 1]):
        yield MARKER.sub("", "".join(lines[begin - 1:end - 1])).strip("\n")


def first_line(node: ast.stmt, lines: list[str]) -> int:
    """The line a statement begins on, its decorators and the comments right above it counted in."""
    first: int = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    while first > 1 and lines[first - 2].startswith("#"):
        first -= 1
    return first
