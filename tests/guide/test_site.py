"""Our own site as it is built: strictly, and without a dead link."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*command):
    """Run a module of this Python in the project; its output if it fails."""
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    ended = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, env=quiet, capture_output=True, text=True,
                           timeout=600, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_built_site_has_no_dead_links(tmp_path):
    run("mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site"))
    assert len(list((tmp_path / "site").rglob("*.html"))) > 100
    run("hexapla", "check", "--site", str(tmp_path / "site"))
