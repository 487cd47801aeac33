"""What an installation brings, and that it is pinned."""

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from hexapla.cli import main
from packaging.specifiers import SpecifierSet

from benchmarks.engines import ENGINES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PINS = re.findall(r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M)
OLDEST = PROJECT["requires-python"].removeprefix(">=")   # of Python, that an installation may have


def plain(name):
    """A package's name as pip compares it."""
    return name.lower().replace("_", "-")


def names(requirements):
    """The names of packages, as pip compares them."""
    return {plain(re.split(r"[\[<>=!~ ;]", each)[0]) for each in requirements} - {"hexapla"}


def test_the_site_and_the_tools_bring_no_torch():
    assert not {"torch", "transformers", "accelerate"} & names(PROJECT["dependencies"])
    assert {"torch", "transformers"} <= names(EXTRAS["snippets"])


@pytest.mark.parametrize("group", ["dependencies", *EXTRAS])
def test_everything_is_pinned(group):
    wanted = names(PROJECT["dependencies"] if group == "dependencies" else EXTRAS[group])
    assert wanted <= {plain(pin) for pin in PINS}


def test_every_pinned_package_installs_on_the_oldest_python():
    installed = {plain(each.name): each.metadata["Requires-Python"] for each in metadata.distributions()}
    wanted = {pin: installed.get(plain(pin)) for pin in PINS}
    assert wanted["pymdown-extensions"]
    assert not {pin: said for pin, said in wanted.items() if said and OLDEST not in SpecifierSet(said)}


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{name}/contributing.md" for name in ("en", "ja", "zh"))])
def test_pages_name_the_oldest_python(page):
    assert re.findall(r"Python (3[.\d]+\d)", (ROOT / page).read_text(encoding="utf-8")) == [OLDEST]


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_an_environment_with_another_engine_and_theme_has_all_else_that_a_site_needs(language):
    """MkDocs' theme cannot be beside MaterialX, so the page and the benchmark name the packages of `[site]` one by one.
    """
    (command,) = re.findall(r"pip install \.\./(hexapla properdocs .+)",
                            (ROOT / f"docs/{language}/tools/engines.md").read_text(encoding="utf-8"))
    (benchmark,) = (engine.packages for engine in ENGINES if not engine.extra)
    assert names(command.split()) == names(benchmark)
    assert names(EXTRAS["site"]) - {"mkdocs", "mkdocs-material"} <= names(benchmark)


@pytest.mark.parametrize("version", [tuple(map(int, OLDEST.split("."))), (3, 11, 2), (3, 9, 18)])
def test_make_says_in_one_sentence_that_a_python_is_too_old(version, tmp_path):
    """The interpreter that PYTHON names is asked for its version before anything is made."""
    python = tmp_path / "python"
    claim = f"import sys; sys.version_info = {(*version, 'final', 0)}; exec(sys.argv[1])"
    lines = ["#!/bin/sh", '[ "$1" = -c ] || exit 0', f'exec {sys.executable} -c "{claim}" "$2"', ""]
    python.write_text("\n".join(lines), encoding="utf-8")
    python.chmod(0o755)
    make = ["make", f"VENV={tmp_path}/venv", f"PYTHON={python}", "--no-print-directory", f"{tmp_path}/venv/bin/python"]
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of a make around it
    result = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, env=alone)
    said = result.stderr.splitlines()[:-1]   # the last line is that of `make` itself
    if version < tuple(map(int, OLDEST.split("."))):
        number = ".".join(map(str, version))
        assert result.returncode
        assert said == [f"hexapla needs Python {OLDEST} or newer, and this is {number}; name another with PYTHON=..."]
    else:
        assert (result.returncode, said) == (0, [])


def test_ci_runs_what_the_readme_says():
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").rstrip().endswith("make test")


def test_the_command_says_its_version(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"hexapla {metadata.version('hexapla')}\n"
