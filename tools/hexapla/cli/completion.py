"""`hexapla completion`: a script that a shell completes commands, options and paths with.

A shell asks for it each time it starts, and the options of all commands are in all modules: to make one takes 0.6 CPU
seconds, to print the last one 0.1.
"""

import argparse
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from hexapla.cache import digest, stamp, versions
from hexapla.cli import parser as command_parser
from hexapla.files import read_file, user_cache, write

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that reads the script")


def completion(chosen: argparse.Namespace) -> int:
    """Print the script of a shell, the one that this user was given last where the program is as it was."""
    script = ""
    with suppress(OSError, RuntimeError, UnicodeDecodeError):  # no home, or nothing there yet
        file = user_cache("completion") / chosen.shell
        script = marked_script(read_file(file.parent, file).decode())
    if not script:
        script = make_script(chosen.shell)
        with suppress(OSError, RuntimeError):
            write(user_cache("completion") / chosen.shell, f"{mark(script)}\n{script}".encode(), 0o600)
    sys.stdout.write(script)
    return 0


def marked_script(text: str) -> str:
    """The script below its mark, "" where the mark is not that of this program and this script."""
    first, _, script = text.partition("\n")
    return script if first == mark(script) else ""


def mark(script: str) -> str:
    """What a script is of: the program and shtab as they are installed."""
    found = find_spec("shtab")
    shtab = found.origin if found and found.origin else __file__
    return digest(versions(), stamp(shtab, os.stat(shtab)), script)  # noqa: PTH116  # as the cache does


def make_script(shell: str) -> str:
    """The script of a shell, from the options of all commands."""
    import shtab

    whole = command_parser(every=True)
    for action in paths(whole):
        action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks for it
    return shtab.complete(whole, shell)


def paths(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The arguments of a parser and its commands that are files or folders."""
    found = []
    for action in parser._actions:  # argparse has no other way to list them
        if isinstance(action, argparse._SubParsersAction):
            found += [each for command in action.choices.values() for each in paths(command)]
        elif action.type is Path:
            found.append(action)
    return found
