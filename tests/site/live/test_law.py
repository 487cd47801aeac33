"""Whatever was edited, in whatever order, what is served is what a clean build gives."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hang_limit import HANG

EDITS = "12"  # of which each kind is one; `python -m tests.site.live.law SEED 1000` makes more


@pytest.mark.parametrize("edits", [("law", "1", EDITS), ("titles",), ("redirects",)], ids=" ".join)
def test_what_is_served_is_what_a_clean_build_gives(edits):
    # A process of its own: pages are rendered by forks, and the tests' workers have threads.
    command = [sys.executable, "-m", f"tests.site.live.{edits[0]}", *edits[1:]]
    ended = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, timeout=HANG,
                           check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
