"""How a command speaks to where it was started: exit statuses, colours, progress, and what to install."""

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

from hexapla.errors import ConfigError
from hexapla.report_text import CONTROL

FOUND, USAGE, CRASHED, INTERRUPTED = 1, 2, 3, 130

# What a terminal acts upon, without our colours.
UNCOLOURED = re.compile(rf"(?!\x1b\[(?:[0-4]|3[1-6])m)(?:{CONTROL.pattern})")


class Progress(Protocol):
    """Shows how much is done of all, and a note beside it."""

    def __call__(self, done: int, total: int, note: str = "") -> None:
        """Show it."""


class EscapedStream:
    """A stream that shows the control characters of names and texts as escapes; a terminal would act upon them."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.acted_upon = CONTROL if "NO_COLOR" in os.environ or not stream.isatty() else UNCOLOURED

    def write(self, text: str) -> int:
        self.stream.write(self.acted_upon.sub(lambda found: found[0].encode("unicode_escape").decode(), text))
        return len(text)

    def writelines(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def speak_utf8() -> None:
    """Write UTF-8 where a file or a program reads, as pages are; a terminal that lacks a character gets an escape."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=None if sys.stdout.isatty() else "utf-8", errors="backslashreplace")
    for name in ("stdout", "stderr"):
        if not isinstance(stream := getattr(sys, name), EscapedStream):
            setattr(sys, name, EscapedStream(stream))


def fall_silent() -> None:
    """Drop what could not be written: Python would try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(line: str) -> None:
    """Print a line of a report that is still being written."""
    print(line, flush=True)


def wants_colour() -> bool:
    """Whether colours are welcome where we print."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


@contextmanager
def show_progress(what: str) -> Iterator[Progress | None]:
    """A bar on a terminal, taken away when the work is done; nothing where there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(file=getattr(sys.stderr, "stream", sys.stderr)), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def show_step(done: int, total: int, note: str = "") -> None:
            bar.update(task, completed=done, total=total, description=f"{what} {note}".rstrip())

        yield show_step


@contextmanager
def require_extra(extra: str) -> Iterator[None]:
    """Say what to install where a package of an extra is missing, "" for none. Raises ConfigError."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if not extra:
            raise
        wanted = f"install it with `pip install 'hexapla[{extra}]'`"
        raise ConfigError(f"this command needs the package {missing.name}; {wanted}") from missing
