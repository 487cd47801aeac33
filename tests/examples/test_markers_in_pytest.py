"""Plain pytest skips, and does not import, the tests of another environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "snippets" / "conftest.py"
TEST = """\
import pytest
import not_installed_in_any_environment_but_this as other
pytestmark = pytest.mark.env("old")
def test_one(): assert other.one == 1
"""


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "tests/snippets/demo"
    folder.mkdir(parents=True)
    shutil.copy(CONFTEST, folder.parent)
    (folder / "test_old.py").write_text(TEST)
    (tmp_path / "snippets/demo").mkdir(parents=True)
    (tmp_path / "snippets/demo/not_installed_in_any_environment_but_this.py").write_text("one = 1\n")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--import-mode=importlib -rs'\n")
    return tmp_path


@pytest.mark.parametrize(("environment", "says"), [
    ("old", "1 passed"),
    ("core", "needs the environment old: make test-environments"),
    ("another", "needs the environment old: make test-environments"),
])
def test_a_module_runs_in_its_environment_alone(tree, environment, says):
    variables = {**os.environ, "HEXAPLA_ENVIRONMENT": environment}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/snippets"]
    ended = subprocess.run(command, cwd=tree, env=variables, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert says in ended.stdout
