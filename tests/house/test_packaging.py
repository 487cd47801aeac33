"""What an installation brings, and that it is pinned."""

import re
import tomllib
from pathlib import Path

import pytest
from hexapla.cli import main

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def names(requirements):
    """The names of packages, as pip compares them."""
    return {re.split(r"[\[<>=!~ ;]", each)[0].lower().replace("_", "-") for each in requirements} - {"hexapla"}


def test_the_site_and_the_tools_bring_no_torch():
    assert not {"torch", "transformers", "accelerate"} & names(PROJECT["dependencies"])
    assert {"torch", "transformers"} <= names(EXTRAS["snippets"])


@pytest.mark.parametrize("group", ["dependencies", *EXTRAS])
def test_everything_is_pinned(group):
    wanted = names(PROJECT["dependencies"] if group == "dependencies" else EXTRAS[group])
    pins = re.findall(r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M)
    assert wanted <= {pin.lower().replace("_", "-") for pin in pins}


def test_ci_runs_what_the_readme_says():
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").rstrip().endswith("make test")


def test_the_command_says_its_version(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"hexapla {PROJECT['version']}\n"
