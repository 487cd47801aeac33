"""Our own site as it is built: strictly, and without a dead link."""

import subprocess
import sys
from pathlib import Path

from tests.hang_limit import HANG


def test_the_built_site_has_no_dead_links(built_site):
    assert len(list(built_site.rglob("*.html"))) > 100
    command = [sys.executable, "-m", "hexapla", "check", "--site", str(built_site)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=HANG,
                           check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
