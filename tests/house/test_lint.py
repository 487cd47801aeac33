"""Style and types are clean, by the tools that `make lint` runs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("command", [["ruff", "check", "."], ["mypy"]], ids=lambda command: command[0])
def test_clean(command):
    pytest.importorskip(command[0], reason=f"{command[0]} is not installed: pip install -e '.[dev]'")
    ended = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
