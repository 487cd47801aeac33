"""A snippet as a Jupyter notebook that runs alone: its helpers are written by the first cells."""

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hexapla.cache import Cache, key_of
from hexapla.examples.machine import PACKAGES
from hexapla.examples.snippet import Snippets

MARKER = re.compile(r"^[ \t]*# --8<-- \[.*\]\n", re.M)
# A program that starts itself again cannot live in cells; a helper may do so for it. Nor can one that looks for its
# own file, which a helper has in a notebook too.
OWN_PROCESSES = re.compile(r"\bmultiprocessing\b|\bspawn\b|\btorchrun\b")


def cached_notebook(cache: Cache, snippets: Snippets, path: str, versions: Mapping[str, str]) -> bytes:
    """The notebook of a snippet, from the cache if one was made of the same texts before."""
    beside = {name: snippets.read(name) for name in files_beside(snippets, path)}
    wanted = pinned_packages(frozenset().union(*map(snippets.imports, (path, *snippets.helpers(path)))), versions)
    key = key_of("notebook", path, snippets.read(path), beside, wanted)
    text: str | None = cache.get(key)
    if text is None:
        text = make_notebook(path, snippets.read(path), beside, wanted)
        cache.put(key, text)
    return text.encode()


def files_beside(snippets: Snippets, path: str) -> list[str]:
    """The files that a snippet needs beside it: helpers, and data files that have its name or that it names."""
    folder, stem, source = Path(path).parent, Path(path).stem, snippets.read(path)
    data = (file.name for file in (snippets.root / folder).iterdir() if file.is_file() and file.suffix != ".py")
    named = {(folder / name).as_posix() for name in data if name.startswith(stem) or name in source}
    return sorted(snippets.helpers(path) | named)


def pinned_packages(imports: frozenset[str], versions: Mapping[str, str]) -> list[str]:
    """The packages to install, with the versions that the snippet ran with, as far as they are known."""
    named = set(imports) | ({"accelerate"} if "transformers" in imports else set())
    return [
        f"{distribution or package}=={versions[package].partition('+')[0]}" if package in versions else package
        for package, distribution in PACKAGES.items() if package in named
    ]


def make_notebook(path: str, source: str, beside: Mapping[str, str], wanted: list[str]) -> str:
    """The text of a .ipynb file, the same for the same arguments."""
    import jupytext  # type: ignore[import-untyped]  # a quarter of a second that most builds do not need
    from nbformat import v4

    cell: Any = v4  # it has no types
    name = Path(path).name
    tree = ast.parse(source)
    cells = [cell.new_markdown_cell(f"# {path}\n\n{ast.get_docstring(tree) or ''}".rstrip())]
    if wanted:
        cells.append(cell.new_code_cell(f"%pip install --quiet {' '.join(wanted)}"))
    cells += [cell.new_code_cell(f"%%writefile {Path(other).name}\n{text}") for other, text in beside.items()]
    programs = [source, *(text for other, text in beside.items() if other.endswith(".py"))]
    if "__file__" in source or any(map(OWN_PROCESSES.search, programs)):
        cells.append(cell.new_code_cell(f"%%writefile {name}\n{MARKER.sub('', source)}"))
        cells.append(cell.new_code_cell(f"!python {name}"))
    else:
        cells += jupytext.reads(to_percent_format(source, tree), fmt="py:percent").cells
    book: Any = jupytext.reads("", fmt="py:percent")
    book.cells = cells
    for number, each in enumerate(cells):
        each["id"] = f"cell-{number}"  # random ones would make every build another
    book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return str(jupytext.writes(book, fmt="ipynb")) + "\n"


def to_percent_format(source: str, tree: ast.Module) -> str:
    """The source in jupytext's percent format: a cell for the top of the file, then one a definition."""
    lines = source.splitlines()
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If)
    begins = {
        first_line(node, lines)
        for before, node in zip([None, *body], body, strict=False)
        if before is None or isinstance(node, definitions) or isinstance(before, definitions)
    }
    start = min(begins, default=1)
    cut = [f"# %%\n{line}" if number in begins else line for number, line in enumerate(lines, 1)]
    return MARKER.sub("", "\n".join(cut[start - 1 :]) + "\n")


def first_line(node: ast.stmt, lines: list[str]) -> int:
    """The line a statement begins on, its decorators and the comments right above it counted in."""
    first: int = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    while first > 1 and lines[first - 2].startswith("#"):
        first -= 1
    return first
