"""One start of the editor, and how a tab that an earlier start served finds its way to it.

Each start has an address of its own, with a new token. A tab and the program share a key, kept in a file that its owner
alone may read. The tab asks a program that was started later to prove that it has the key, and derives the new token
itself. Neither the key nor a token is sent: another program at the same port learns nothing that opens the editor. The
host is part of both, so that nobody can pass a proof on from one port to another.
"""

import hmac
import os
import secrets
import stat
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from hexapla.files import write
from hexapla.installation import is_own, state_folder

NAME = "editor.key"
BYTES = 32
WEEK = 7 * 24 * 3600  # seconds that a key is used: who has seen one does not know it for ever
CHALLENGE = 64        # characters that a tab sends


@dataclass(frozen=True)
class EditorSession:
    """One start of the editor at `host`, an address with its port; `nonce` makes its token another one each time."""

    key: bytes
    host: str
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def token(self) -> str:
        """What stands in the address."""
        return self.code("token")[:48]

    def proof(self, challenge: str) -> dict[str, str]:
        """What shows to a tab that this program has the key, and lets it derive the token."""
        return {"nonce": self.nonce, "proof": self.code("proof", challenge)}

    def code(self, *parts: str) -> str:
        """The HMAC of what is said and to whom, in hexadecimal digits."""
        return hmac.digest(self.key, "\n".join((self.host, self.nonce, *parts)).encode(), "sha256").hex()


def session_key(root: Path) -> bytes:
    """The key of a project; one of this start alone where none can be kept.

    A file that others may read, that is old, or in a folder that came with the repository is no secret.
    """
    made = secrets.token_bytes(BYTES)
    folder = state_folder(root).path
    if folder is None:
        return made
    path = folder / NAME
    with suppress(OSError):
        with suppress(OSError):
            if known := own_bytes(path):
                return known
            path.unlink()  # a new file has a mode of its own
        write(path, made, 0o600)
    return made


def own_bytes(path: Path) -> bytes:
    """The key in a file, b"" for one that is not to be trusted. Raises OSError, also for a link."""
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as stream:
        status = os.fstat(stream.fileno())
        owned = is_own(status) and not (os.name == "posix" and status.st_mode & 0o077)
        trusted = owned and stat.S_ISREG(status.st_mode) and 0 <= time.time() - status.st_mtime < WEEK
        found = stream.read(BYTES + 1) if trusted else b""
        return found if len(found) == BYTES else b""
