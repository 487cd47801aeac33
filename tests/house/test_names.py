"""Names: a module has one that no other has, and what a docstring cites is there."""

import ast
import doctest
import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "tools" / "hexapla"
# Folders whose modules are called after something else than what they are.
SUBJECTS = {
    "checks/rules": "what a rule is about, which others are about too: evidence, redirects, tables",
    "cli": "the command's name",
}
# Words of ours for things that engineers call otherwise, and what points at the function above, in a first line.
RIDDLES = re.compile("What is answered|become findings|The least that|they stand on|^The same(?: of| as|[,.])|^Those,")
QUOTED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)*\.[a-z_]+|[A-Z][a-z]+(?:[A-Z][a-z]+)+)`")
# Names of other packages and of files that docstrings cite.
OTHERS = re.compile(
    r"(?:mkdocs|pymdownx|torch|transformers|opencc|asyncio|os|re|sys|site|docs|index|config|core|pyproject|translations)\."
    r"|\.(?:py|md|yml|yaml|json|toml|txt|js|css|html|sqlite|po|tmx|xml|lock|zip|gz|io|org|dev)$"
)


@cache
def parsed(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def modules():
    return [file for file in sorted(PACKAGE.rglob("*.py")) if file.stem not in {"__init__", "__main__"}]


def test_a_module_has_a_name_of_its_own():
    places = defaultdict(list)
    for file in modules():
        path = file.relative_to(PACKAGE).as_posix()
        if not path.startswith(tuple(f"{folder}/" for folder in SUBJECTS)):
            places[file.stem].append(path)
    assert not {name: found for name, found in places.items() if len(found) > 1}


def docstrings(file):
    """The first lines of a module's docstrings and the whole of them, with their lines."""
    for node in ast.walk(parsed(file)):
        has_one = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if has_one and (said := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), said


def names_in_code(tree):
    """The names that a module defines or uses, and the words of its texts but the docstrings."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        for field in ("name", "id", "attr", "arg", "module"):
            yield from re.findall(r"\w+", getattr(node, field, None) or "")
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield from re.findall(r"\w+", node.value)


@pytest.fixture(scope="module")
def known():
    """Every name that the package's code has."""
    files = [*PACKAGE.rglob("*.py")]
    return {file.stem for file in files}.union(*(names_in_code(parsed(file)) for file in files))


def test_a_name_that_a_docstring_cites_is_there(known):
    gone = []
    for file in modules():
        for line, said in docstrings(file):
            for name in QUOTED.findall(said):
                if not OTHERS.search(name) and name.rpartition(".")[2] not in known:
                    gone.append(f"{file.relative_to(PACKAGE)}:{line}: {name}")
    assert not gone


EXAMPLES = [file.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".") for file in modules()
            if ">>> " in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("module", EXAMPLES)
def test_the_examples_of_docstrings_run(module):
    failed, tried = doctest.testmod(import_module(module))
    assert tried
    assert not failed


def test_a_first_line_is_no_riddle():
    first = [(file, line, said.splitlines()[0]) for file in modules() for line, said in docstrings(file)]
    assert not [each for each in first if RIDDLES.search(each[2])]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_a_file_that_a_page_says_is_in_the_package_is_there(page):
    said = (PACKAGE.parents[1] / page).read_text(encoding="utf-8").partition("tools/hexapla/")[2]
    named = set(re.findall(r"`(?!tests/)([\w/]+\.(?:py|js|json))`", said))
    there = [f"/{file.relative_to(PACKAGE)}" for file in PACKAGE.rglob("*.*")]
    assert named
    assert not [name for name in named if not any(path.endswith(f"/{name}") for path in there)]
