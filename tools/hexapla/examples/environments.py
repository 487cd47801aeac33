"""Virtual environments of runners: created from pins, kept by content in the user's cache, so that no tree brings one.

`snippets/environments/<name>.txt` lists every package with its version; nothing else is installed, and nothing of a
package is run to install it. Where one has hashes all must, whichever index has the files.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import hexapla
from hexapla.errors import ConfigError
from hexapla.files import lock_folder, user_cache

# A package and its version, a hash of it, an index, a comment, or nothing: no source to build, whose code would run.
HASH = r"--hash=sha256:[0-9a-f]{64}"
PIN = re.compile(
    r"\s*(?:--extra-index-url https://\S+|[A-Za-z0-9][\w.-]*(?:\[[\w.,-]+\])? *== *[\w.+!-]+(?: *;[^#\\]*?)?"
    rf"(?: +{HASH})*(?: *\\)?|{HASH}(?: *\\)?)?\s*(?:#.*)?"
)
COMPLETE = "complete"  # a file written last: an environment without it was interrupted


def ensure_python(pins: Path) -> Path:
    """The Python of the environment that `pins` describes, which is created if missing. Raises ConfigError."""
    folder = folder_of(pins)
    python = folder / "bin" / "python"
    with lock_folder(folder.parent):
        if not (folder / COMPLETE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            create_environment(folder, python, pins)
            (folder / COMPLETE).touch()
    return python


def folder_of(pins: Path) -> Path:
    """The folder of an environment: its name, and the hash of its pins and of this Python. Raises ConfigError."""
    try:
        lines = pins.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"{pins}: {error.strerror}; write the environment's pins there") from error
    for number, line in enumerate(lines, 1):
        if not PIN.fullmatch(line):
            raise ConfigError(f"{pins}:{number}:1: {line!r} is no pin; write it as package==1.0")
    text = "".join(f"{line}\n" for line in lines)
    digest = hashlib.sha256((text + sys.version + hexapla.__file__).encode()).hexdigest()[:16]
    return user_cache("environments") / f"{pins.stem}-{digest}"


def create_environment(folder: Path, python: Path, pins: Path) -> None:
    """Create the environment. Raises ConfigError, and leaves nothing behind, if that fails."""
    pip = [sys.executable, "-P", "-m", "pip", "--python", str(python), "--quiet", "--disable-pip-version-check"]
    try:
        run_command([sys.executable, "-P", "-m", "venv", "--without-pip", str(folder)], pins)
        run_command([*pip, "install", "--no-deps", "--only-binary", ":all:", "--requirement", str(pins)], pins)
        # hexapla itself, and no other package; the fork server and the tests' conftest.py are imported from there.
        packages = next(folder.glob("lib/python*/site-packages"))
        (packages / "hexapla").symlink_to(Path(hexapla.__file__).resolve().parent, target_is_directory=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def run_command(command: list[str], pins: Path) -> None:
    """Run a command, ended with all its children on an interrupt. Raises ConfigError with its last error line."""
    pipe, joined = subprocess.PIPE, subprocess.STDOUT
    process = subprocess.Popen(command, cwd="/", stdout=pipe, stderr=joined, text=True, start_new_session=True)
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
