"""Virtual environments of runners other than hexapla's own: created from pinned requirements, kept by content.

`snippets/environments/<name>.txt` lists every package with its version; nothing that it does not list is installed.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import hexapla
from hexapla.errors import ConfigError

COMPLETE = "complete"  # a file written last: an environment without it was interrupted


def ensure_python(root: Path, pins: Path) -> Path:
    """The Python of the environment that `pins` describes, which is created if missing. Raises ConfigError."""
    folder = folder_of(root, pins)
    python = folder / "bin" / "python"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_suffix(".lock")):
        if not (folder / COMPLETE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            create(folder, python, pins)
            (folder / COMPLETE).touch()
    return python


def folder_of(root: Path, pins: Path) -> Path:
    """The folder of an environment: its name, and the hash of its pins and of this Python."""
    try:
        content = pins.read_bytes()
    except OSError as error:
        raise ConfigError(f"{pins}: {error.strerror}; write the environment's pins there") from error
    digest = hashlib.sha256(content.replace(b"\r\n", b"\n") + sys.version.encode()).hexdigest()[:16]
    return root / ".hexapla" / "environments" / f"{pins.stem}-{digest}"


def create(folder: Path, python: Path, pins: Path) -> None:
    """Create the environment. Raises ConfigError, and leaves nothing behind, if that fails."""
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--quiet", "--disable-pip-version-check"]
    try:
        run_command([sys.executable, "-m", "venv", "--without-pip", str(folder)], pins)
        run_command([*pip, "install", "--no-deps", "--requirement", str(pins)], pins)
        # hexapla itself, and no other package; the fork server and the tests' conftest.py are imported from there.
        packages = next(folder.glob("lib/python*/site-packages"))
        (packages / "hexapla").symlink_to(Path(hexapla.__file__).resolve().parent, target_is_directory=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def run_command(command: list[str], pins: Path) -> None:
    """Run a command, ended with all its children on an interrupt. Raises ConfigError with its last error line."""
    pipe, joined = subprocess.PIPE, subprocess.STDOUT
    process = subprocess.Popen(command, stdout=pipe, stderr=joined, text=True, start_new_session=True)
    try:
        output, _ = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()  # pip has a child that writes: the pipe ends when that one has ended too
        raise
    if process.returncode:
        said = [line for line in output.splitlines() if line.strip()]
        reasons = [line for line in said if line.startswith("ERROR:")] or said[-1:] or ["it said nothing"]
        raise ConfigError(f"{pins}: the environment cannot be made: {reasons[0]}; correct the pins or the network")


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Lock an environment against other commands that create it."""
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
