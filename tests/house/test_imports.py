"""What a command that has nothing to do does not import: the start of Python's libraries is what it costs."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.cache.test_law import RUN_TREE, lay, recorded
from tests.site.project import CONFIG

HEAVY = {"torch", "transformers", "mkdocs", "numpy", "opencc", "rich", "jinja2", "pygments"}
RENDERING = {"markdown", "markdown_it", "pymdownx", "lxml", "selectolax", "hexapla.pages.reader"}
PROCESSES = {"multiprocessing", "concurrent", "ray"}
# By command: modules that it goes without, the packages that they are of included. A check has checked before.
UNNEEDED = {
    "--version": HEAVY | RENDERING | PROCESSES | {"yaml", "sqlite3", "shtab", "hexapla.pages", "hexapla.config"},
    "completion bash": HEAVY | RENDERING | PROCESSES | {"yaml", "hexapla.pages", "hexapla.config"},
    "check": HEAVY | RENDERING | PROCESSES | {
        "shtab", "xml", "email", "importlib.metadata", "hexapla.cldr", "hexapla.examples.figures",
        "hexapla.examples.provenance", "hexapla.examples.runners", "hexapla.checks.rules.recorded_runs",
        "hexapla.checks.engine.pool", "hexapla.checks.built_site", "hexapla.mojibake", "hexapla.translation",
    },
}
# By command: some of what it loads the first time, which shows that it ran and that its imports are seen.
NEEDED = {"--version": {"argparse"}, "completion bash": {"shtab"}, "check": UNNEEDED["check"]}
CODE = "import sys; from hexapla.cli import main\ntry: main(sys.argv[1:])\nfinally: print('loaded', *sys.modules)"


def loaded(command, root):
    """The modules that a command imports."""
    own = {**os.environ, "XDG_CACHE_HOME": str(root / "cache"), "LOCALAPPDATA": str(root / "cache")}
    ran = subprocess.run([sys.executable, "-c", CODE, *command.split()], cwd=root, env=own, capture_output=True,
                         text=True, check=False)
    return {*ran.stdout.rpartition("loaded ")[2].split()}


@pytest.mark.parametrize("command", UNNEEDED)
def test_a_command_that_has_nothing_to_do_imports_little(command, tmp_path):
    lay(tmp_path, {**RUN_TREE, "mkdocs.yml": CONFIG})
    lay(tmp_path, {"snippets/evidence/cpu-one.json": recorded(tmp_path, "one")})
    first, _, last = (loaded(command, tmp_path) for _ in range(3))
    assert "argparse" in last
    assert not UNNEEDED[command] & last
    assert NEEDED[command] & first


@pytest.mark.parametrize("name", sorted(each for each in set().union(*UNNEEDED.values()) if "hexapla" in each))
def test_what_is_not_imported_is_a_module(name):
    assert find_spec(name)
