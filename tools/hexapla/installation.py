"""What this installation made, told from what came with a tree: the folder `.hexapla`, and seals on what is kept there.

A tree may bring `.hexapla`: it is used where it is a folder of the user's own in which git tracks nothing, and what is
read out of it bears a seal, made with a key that is kept outside of all trees.
"""

import hmac
import logging
import os
import secrets
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path
from subprocess import TimeoutExpired
from typing import NamedTuple

from hexapla.files import lock_folder, user_folder, write_file
from hexapla.git import run_git

FOLDER = ".hexapla"
KEY_BYTES = SEAL_BYTES = 32
LOG = logging.getLogger("hexapla")  # without a handler, as in the command, it speaks to stderr


class StateFolder(NamedTuple):
    """The folder `.hexapla` of a tree, None where it is not used, and the key of this installation."""

    path: Path | None
    key: bytes

    def seal_data(self, data: bytes, name: str) -> bytes:
        """Data behind a seal that this installation alone can make, for what is kept under a name."""
        return hmac.digest(self.key, name.encode() + b"\0" + data, "sha256") + data

    def open_sealed(self, sealed: bytes, name: str) -> bytes:
        """The data behind a seal. Raises ValueError where this installation did not make it, for that name."""
        data = sealed[SEAL_BYTES:]
        if not hmac.compare_digest(sealed, self.seal_data(data, name)):
            raise ValueError(f"{name}: this installation did not make it")
        return data

    def read(self, name: str) -> bytes:
        """What `write` kept under a name. Raises ValueError, and OSError where there is nothing."""
        if self.path is None or not is_plain(self.path / name):
            raise FileNotFoundError(name)
        return self.open_sealed((self.path / name).read_bytes(), name)

    def write(self, name: str, data: bytes) -> None:
        """Keep data under a name, where the folder is used. Raises OSError."""
        if self.path is not None:
            write_file(self.path / name, self.seal_data(data, name))


def own_folder(path: Path) -> StateFolder:
    """A folder that is known to be the user's own."""
    return StateFolder(path, installation_key())


def state_folder(root: Path) -> StateFolder:
    """The folder `.hexapla` of a tree, made where there is none; one that is not to be used is told in one sentence."""
    folder = root / FOLDER
    try:
        with suppress(FileExistsError):
            folder.mkdir(parents=True)
        if reason := find_distrust(folder):
            set_aside(f"{FOLDER} {reason}: nothing in it is used and nothing is kept; remove it from {root}")
            return StateFolder(None, installation_key())
        with suppress(FileExistsError), (folder / ".gitignore").open("x", encoding="utf-8") as ignoring:
            ignoring.write("*\n")  # git passes over it, also in a tree whose own .gitignore does not name it
    except OSError:
        return StateFolder(None, installation_key())
    return own_folder(folder)


def find_distrust(folder: Path) -> str:
    """Why a folder may hold what others wrote, "" where it does not. Raises OSError."""
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or folder.resolve() != folder.parent.resolve() / folder.name:
        return "is a link or no folder"
    if not is_own(state):
        return "belongs to another user"
    with suppress(OSError, TimeoutExpired):
        if run_git(folder.parent, ["ls-files", "--", f":(icase){folder.name}"]).stdout:
            return "is tracked by git"
    return ""


def is_own(state: os.stat_result) -> bool:
    """Whether a file belongs to the user, where the system tells that."""
    return not hasattr(os, "getuid") or state.st_uid == os.getuid()


def is_plain(file: Path) -> bool:
    """Whether a file is a regular one of the user's own that has no second name; so is one that is not there."""
    try:
        state = file.lstat()
    except OSError:
        return True
    return stat.S_ISREG(state.st_mode) and is_own(state) and state.st_nlink == 1


@cache
def set_aside(sentence: str) -> None:
    """Say once what is not used, and why."""
    LOG.warning("hexapla: %s", sentence)


@cache
def installation_key() -> bytes:
    """The key of this installation, kept where the user's programs keep their state; one of this process elsewhere."""
    made = secrets.token_bytes(KEY_BYTES)
    try:
        folder = user_folder("XDG_STATE_HOME", ".local/state")
        with lock_folder(folder):
            file = folder / "key"
            if is_plain(file) and file.is_file() and not (os.name == "posix" and file.stat().st_mode & 0o077):
                known = file.read_bytes()
                if len(known) == KEY_BYTES:
                    return known
            write_file(file, made, 0o600)
            file.chmod(0o600)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        pass
    return made
