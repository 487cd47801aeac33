"""`hexapla check` finds nothing in our own guide."""

import subprocess
import sys
from pathlib import Path

from tests.hang_limit import HANG


def test_the_guide_is_clean():
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "hexapla", "check", "--root", str(root), "--no-cache"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
