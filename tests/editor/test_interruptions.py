"""A few of the interrupted sessions of `benchmarks.interruptions`: nothing that was typed is lost."""

import shutil
import subprocess
import sys

import pytest

from tests.hang_limit import HANG

pytest.importorskip("playwright", reason="playwright is not installed: pip install -e '.[test]'")


@pytest.mark.skipif(not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), reason="no Chromium")
def test_no_typed_character_is_lost():
    """In a process of its own: Playwright runs once in each."""
    command = [sys.executable, "-m", "benchmarks.interruptions", "--sessions", "5"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=True)
    assert ", 0 lost" in ended.stdout, ended.stdout
