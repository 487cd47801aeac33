"""Who may import whom, as the design says."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "tools" / "hexapla"
GROUND = {"config", "files", "glossary", "layout", "failure", "options", "parsed", "place"}
ROOMS = {
    "pages": {"parsed"},
    "mojibake": set(),
    "hanzi": set(),
    "config": {"failure", "parsed", "tolerant"},
    "files": set(),
    "glossary": {"parsed"},
    "layout": {"config", "parsed"},
    "parsed": set(),
    "place": {"config", "files", "layout", "parsed"},
    "failure": set(),
    "options": set(),
    "seams": {"config", "glossary", "hanzi", "mojibake", "parsed"},
    "tolerant": set(),
    "checks": GROUND | {"pages"},
    "translation": GROUND | {"pages"},
    "reports": GROUND | {"checks"},
    "examples": GROUND | {"pages"},
    "drafts": GROUND | {"pages", "translation"},
    "desk": GROUND | {"pages", "checks", "translation"},
}
ONLY = {"mkdocs": {"site"}, "material": {"site"}, "opencc": {"hanzi"}, "torch": set(), "transformers": {"drafts"}}


def modules():
    return [
        pytest.param(file, file.relative_to(PACKAGE).with_suffix("").parts[0], id=file.relative_to(PACKAGE).as_posix())
        for file in sorted(PACKAGE.rglob("*.py"))
    ]


def imports(file):
    """Full names of everything that a module imports, at the top or inside a function."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno} imports relatively"
            if node.module == "hexapla":
                yield from (f"hexapla.{alias.name}" for alias in node.names)
            else:
                yield node.module


@pytest.mark.parametrize(("file", "room"), modules())
def test_a_room_imports_only_what_it_stands_on(file, room):
    rooms = {name.split(".")[1] for name in imports(file) if name.startswith("hexapla.")} - {room}
    assert "cli" not in rooms or room == "__main__"
    if room not in {"site", "cli", "__init__", "__main__"}:
        assert rooms <= ROOMS[room]


@pytest.mark.parametrize(("file", "room"), modules())
def test_a_package_is_imported_where_it_belongs(file, room):
    for name in imports(file):
        package = name.split(".")[0]
        assert room in ONLY.get(package, {room}), f"{file} imports {name}"


@pytest.mark.parametrize(("file", "room"), modules())
def test_only_the_command_prints_or_exits(file, room):
    if room == "cli":
        return
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        called = node.func if isinstance(node, ast.Call) else None
        assert not (isinstance(called, ast.Name) and called.id in {"print", "exit"}), f"{file}:{node.lineno}"


def test_help_imports_nothing_heavy():


    code = "import sys, hexapla.cli; hexapla.cli.parser(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"yaml", "mkdocs", "torch", "numpy", "opencc", "markdown", "rich"} & set(loaded)
