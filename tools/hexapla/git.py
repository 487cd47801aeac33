"""What a source page said when a translation was last changed, as git remembers it."""

from functools import cached_property
from pathlib import Path


class History:
    """The history of the repository that `root` lies in; knows nothing where there is none."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str) -> str | None:
        """What git prints, None where it fails or is not there."""
        import subprocess  # a tree without findings asks nothing

        command = ["git", "-c", "core.quotepath=off", "-C", str(self.root), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None

    @cached_property
    def head(self) -> str | None:
        """The commit the tree stands on."""
        found = self.git("rev-parse", "HEAD")
        return found.strip() if found else None

    @cached_property
    def changed(self) -> frozenset[str]:
        """Paths with changes that are not committed."""
        listed = self.git("status", "--porcelain", "--no-renames", "--", ".") or ""
        prefix = (self.git("rev-parse", "--show-prefix") or "").strip()
        return frozenset(line[3:].removeprefix(prefix) for line in listed.splitlines())

    @cached_property
    def last(self) -> dict[str, str]:
        """The commit that last changed each file, found in one walk through the history."""
        prefix = (self.git("rev-parse", "--show-prefix") or "").strip()
        listed = self.git("log", "--format=%x00%H", "--name-only", "--no-renames", "--", ".") or ""
        found: dict[str, str] = {}
        for entry in listed.split("\0")[1:]:
            commit, *paths = entry.split("\n")
            for path in paths:
                if path:
                    found.setdefault(path.removeprefix(prefix), commit)
        return found

    def source_then(self, translation: str, source: str) -> str | None:
        """The source's text at the translation's last change, None where it is today's or cannot be known."""
        if self.head is None or translation in self.changed:
            return None
        then = self.last.get(translation)
        if then is None or self.last.get(source) in {None, then}:
            return None
        return self.git("show", f"{then}:./{source}")
