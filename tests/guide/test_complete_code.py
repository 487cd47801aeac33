"""Code as pages show it is complete: each name that a block uses is imported or defined in it or above it."""

import builtins
import symtable

import pytest
from hexapla.pages import excerpt

from tests.guide.guide import SOURCE, SOURCES

KNOWN = {*dir(builtins), "__file__", "__name__"}
QUOTES_A_SECTION = '<div data-hexapla="parallel"'  # of another page, which shows the rest


def blocks(page):
    """The Python sections that a page shows, in order."""
    for include in page.includes:
        if include.path.endswith(".py"):
            source = SOURCES.snippets.read(include.path)
            yield include, excerpt(source, include.section, include.first, include.last).text


def inner_globals(table):
    """Names that the functions and classes inside a scope take from the module."""
    for child in table.get_children():
        yield from (each.get_name() for each in child.get_symbols() if each.is_global() and each.is_referenced())
        yield from inner_globals(child)


def names(code):
    """The names that a block defines at its top level, and those that it reads without defining them."""
    table = symtable.symtable(code, "block", "exec")
    defined = {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
    used = {each.get_name() for each in table.get_symbols() if each.is_referenced()} | set(inner_globals(table))
    return defined, used - defined


def faults(page):
    """What a reader who pastes the blocks of a page in order would miss, by block."""
    shown, missing = set(KNOWN), []
    for include, code in blocks(page):
        block = f"{include.path}:{include.section}"
        if code.startswith("return"):
            missing.append(f"{block} begins with return")
            continue
        defined, used = names(code)
        if used - shown:
            missing.append(f"{block} uses {', '.join(sorted(used - shown))}, which no block above it shows")
        shown |= defined
    return missing


def test_a_page_shows_the_names_that_its_code_uses():
    pages = {path: page for (language, path), page in SOURCES.pages.items()
             if language == SOURCE and QUOTES_A_SECTION not in page.text}
    found = [f"{path}: {fault}" for path, page in sorted(pages.items()) for fault in faults(page)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("code", "defined", "used"), [
    ("import torch.nn as nn\nfrom a import b as c", {"nn", "c"}, set()),
    ("import torch.distributed", {"torch"}, set()),
    ("model = load(checkpoint)", {"model"}, {"load", "checkpoint"}),
    ("def step(batch):\n    loss = model(**batch)\n    return loss", {"step"}, {"model"}),
    ("for batch in batches:\n    total += batch", {"batch", "total"}, {"batches"}),
    ("sizes = [len(row) for row in rows]", {"sizes"}, {"len", "rows"}),
    ("with open(path) as file:\n    text = file.read()", {"file", "text"}, {"open", "path"}),
    ("class A(nn.Module):\n    def forward(self, x):\n        return relu(x)", {"A"}, {"nn", "relu"}),
    ("f = lambda x: x + y", {"f"}, {"y"}),
])
def test_names_are_those_of_the_top_level(code, defined, used):
    assert names(code) == (defined, used)
