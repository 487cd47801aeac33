"""A snippet's notebook runs alone, and says what the snippet says."""

import contextlib
import io
import json
import runpy
import subprocess
import sys

import nbformat
import pytest
from hexapla.cache import Cache
from hexapla.examples import notebook
from hexapla.examples.evidence import Run, Status
from hexapla.examples.notebook import cached_notebook
from hexapla.examples.snippet import Snippets

from tests.cases import cases


def run_cells(book, folder, monkeypatch):
    """What the cells print, their magics done as Jupyter does them, nothing being installed."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    printed = io.StringIO()
    namespace = {"__name__": "__main__"}
    for cell in book.cells:
        first, _, rest = cell.source.partition("\n")
        if cell.cell_type != "code" or first.startswith("%pip"):
            continue
        if first.startswith("%%writefile "):
            (folder / first.split()[1]).write_text(rest + "\n")
        elif first.startswith("!python "):
            command = [sys.executable, first.split()[1]]
            printed.write(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        else:
            with contextlib.redirect_stdout(printed):
                exec(compile(cell.source, "cell", "exec"), namespace)
    return printed.getvalue()


@pytest.mark.parametrize("case", cases("examples/notebooks"))
def test_case(case, tmp_path, monkeypatch):
    for name, text in case["files"].items():
        (tmp_path / "snippets/demo").mkdir(parents=True, exist_ok=True)
        (tmp_path / "snippets/demo" / name).write_text(text, encoding="utf-8")
    snippets = Snippets(tmp_path / "snippets")
    ran = Run(Status.RAN, "", "", 0, 0, **case["ran"]) if "ran" in case else None
    text = cached_notebook(Cache(tmp_path / "kept"), snippets, "demo/case.py", ran).decode()
    book = nbformat.reads(text, as_version=4)
    nbformat.validate(book)
    assert [[cell.cell_type, cell.source] for cell in book.cells] == case["cells"]
    alone = tmp_path / "alone"
    alone.mkdir()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        monkeypatch.syspath_prepend(str(tmp_path / "snippets/demo"))
        runpy.run_path(str(tmp_path / "snippets/demo/case.py"), run_name="__main__")
    for name in [each for each in sys.modules if each.startswith("_case_")]:
        del sys.modules[name]
    assert run_cells(book, alone, monkeypatch) == printed.getvalue() != ""


def test_the_same_texts_give_the_same_notebook_made_once(tmp_path, monkeypatch):
    (tmp_path / "snippets/demo").mkdir(parents=True)
    (tmp_path / "snippets/demo/case.py").write_text('"""One."""\nprint(1)\n')
    kept = Cache(tmp_path / "a")
    first = cached_notebook(kept, Snippets(tmp_path / "snippets"), "demo/case.py", {})
    assert cached_notebook(Cache(tmp_path / "b"), Snippets(tmp_path / "snippets"), "demo/case.py", {}) == first
    kept.close()
    monkeypatch.setattr(notebook, "make_notebook", lambda *_: pytest.fail("made again"))
    assert cached_notebook(Cache(tmp_path / "a"), Snippets(tmp_path / "snippets"), "demo/case.py", {}) == first
    assert json.loads(first)["nbformat"] == 4
