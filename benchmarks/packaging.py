"""What an installation brings: a wheel and an sdist are built and checked, and installed where there is nothing else.

    python -m benchmarks.packaging TREE [--layout PATTERN] > benchmarks/results/packaging.txt

Needs `pip install build hatchling twine`. TREE is a translated tree of others that the smallest installation checks.
Megabytes are of site-packages, pip and setuptools left out.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
OTHERS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils")  # what `venv` brings
LIMIT = 90  # megabytes of what checks, repairs and translates
EXTRAS = ("", "[translate]", "[site]", "[repair]")


def environment(folder: Path, extra: str, packages: Sequence[str] = (), source: Path = ROOT) -> Path:
    """Hexapla in an environment at `folder`, made where it is not there; returns its Python."""
    python = folder / "bin/python"
    if not python.is_file():
        venv.create(folder, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--constraint", CONSTRAINTS]
    ended = subprocess.run([*install, f"{source}{extra}", *packages], capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{folder}: {ended.stderr[-2000:]}")
    return python


def megabytes(python: Path) -> float:
    """What is installed, in 2**20 bytes on disk."""
    (folder,) = python.parents[1].glob("lib/python*/site-packages")
    files = (file for entry in folder.iterdir() if not entry.name.startswith(OTHERS)
             for file in (entry.rglob("*") if entry.is_dir() else [entry]))
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file() and not file.is_symlink()) / 2**20


def run(*command: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command that may find something. Exits with what it said where it fails otherwise."""
    plain = os.environ | {"NO_COLOR": "1", "TERM": "dumb"}
    ended = subprocess.run([*map(str, command)], cwd=cwd, env=plain, capture_output=True, text=True, check=False)
    if ended.returncode not in {0, 1} or "Traceback" in ended.stderr:
        sys.exit(f"{command}: {ended.stderr[-2000:]}")
    return ended


def last_line(ended: subprocess.CompletedProcess[str]) -> str:
    """How the output of a command ends."""
    return ended.stdout.strip().rpartition("\n")[2]


def main() -> int:
    """Build, install and measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.packaging", description=__doc__.splitlines()[0])
    parser.add_argument("tree", type=Path, help="a translated tree of others")
    parser.add_argument("--layout", default="", help="where its pages are, if that is not found")
    chosen = parser.parse_args()
    layout = ["--layout", chosen.layout] if chosen.layout else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", ROOT)
        made = sorted((folder / "dist").iterdir())
        for file in made:
            checked = run(sys.executable, "-m", "twine", "check", "--strict", file)
            print(f"{file.name}: {file.stat().st_size / 2**20:.1f} MB, twine {last_line(checked).rpartition(' ')[2]}")
        (wheel,) = (file for file in made if file.suffix == ".whl")
        sizes = {}
        for number, extra in enumerate(EXTRAS):
            python = environment(folder / str(number), extra, source=wheel)
            sizes[extra] = megabytes(python)
            print(f"pip install 'hexapla{extra}': {sizes[extra]:.0f} MB")
        command = folder / "0/bin/hexapla"
        garbled = folder / "garbled.txt"
        garbled.write_text("梯度累积把几个小批次的梯度加在一起。".encode().decode("latin-1") * 3, encoding="utf-8")
        print(f"--version: {last_line(run(command, '--version'))}")
        print(f"check --root TREE: {last_line(run(command, 'check', '--root', chosen.tree, *layout))}")
        status = run(command, "status", "--root", chosen.tree, *layout).stdout.splitlines()
        print(f"status --root TREE: {len(status)} lines; {status[0]}")
        repaired = run(command, "repair", garbled.name, cwd=folder).stdout.splitlines()
        print(f"repair FILE: {repaired[0]}")
    return int(sizes["[translate]"] > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
