"""What earlier runs found, by content: a line each, so that what is not asked for again is neither read nor written."""

import contextlib
import json
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import hexapla
from hexapla.files import write


class Kept:
    """Findings by their keys, in a file; in none where `file` is None. Another program's findings are not used."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.used: dict[str, str] = {}

    @cached_property
    def lines(self) -> dict[str, str]:
        """What there was before, as it stands in the file."""
        if self.file is None:
            return {}
        try:
            first, *lines = self.file.read_text(encoding="utf-8").split("\n")
            return dict(line.split("\t") for line in lines) if first == program() else {}
        except (OSError, ValueError):
            return {}

    def get(self, key: str) -> Any:
        """What was found under a key, None for nothing."""
        line = self.used.get(key) or self.lines.get(key)
        if line is None:
            return None
        self.used[key] = line
        return json.loads(line)

    def put(self, key: str, found: object) -> None:
        """Keep what was found."""
        self.used[key] = json.dumps(found, separators=(",", ":"))

    def follow(self, earlier: "Kept") -> None:
        """Use what was kept before, in the same process."""
        self.__dict__["lines"] = {**earlier.lines, **earlier.used}

    def remember(self) -> None:
        """Keep what was asked for, for the next run; a folder that cannot be written to is no reason to fail."""
        if self.file is None or self.used.keys() == self.lines.keys():
            return
        packed = "\n".join((program(), *(f"{key}\t{line}" for key, line in self.used.items())))
        with contextlib.suppress(OSError):
            write(self.file, packed.encode())


@lru_cache(maxsize=1)
def program() -> str:
    """What changes when this program does: another way to cut pages must not be answered from what an old one found."""
    folder = Path(hexapla.__file__).parent
    about = ((file, file.stat()) for room in ("pages", "translation") for file in sorted(folder.glob(f"{room}/*.py")))
    return name_of("\n".join(f"{file} {found.st_size} {found.st_mtime_ns}" for file, found in about).encode())


def name_of(data: bytes) -> str:
    """A name of bytes by their content."""
    return blake2b(data, digest_size=12).hexdigest()
