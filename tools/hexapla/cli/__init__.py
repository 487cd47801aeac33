"""The command: arguments in, exit status out. The only room that prints or exits."""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from hexapla import __version__
from hexapla.cli.terminal import CRASHED, FOUND, INTERRUPTED, USAGE, fall_silent, speak_utf8
from hexapla.errors import ConfigError


class Command(NamedTuple):
    """A command: what it does, the functions that add its options and that do it, and its examples with what they do.

    The functions are named as `module:function` of this room; a module is imported when its command is given.
    """

    does: str
    options: str
    action: str
    examples: Sequence[Sequence[str]]


COMMANDS = {name: Command(**row) for name, row in json.loads(
    Path(__file__).with_name("commands.json").read_text(encoding="utf-8")).items()}


def parser(command: str = "", every: bool = False) -> argparse.ArgumentParser:
    """The command with its options, each described where it is done; all commands where `command` is none.

    The options of `every` command are asked for by what completes them alone: a module a command is imported.
    """
    top = argparse.ArgumentParser(
        prog="hexapla", description="Documentation that stays true in every language.", formatter_class=as_wide_as_shown
    )
    top.add_argument("--version", action="version", version=f"hexapla {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, each in COMMANDS.items():
        if command in COMMANDS and name != command:
            continue
        examples = "\n".join(["examples:", *(f"  {line}\n      {what}" for line, what in each.examples)])
        added = commands.add_parser(name, help=each.does, description=each.does, epilog=examples,
                                    formatter_class=as_wide_as_shown)
        added.add_argument("--root", type=Path, metavar="DIR", help="the project (default: the nearest mkdocs.yml)")
        added.set_defaults(action=each.action)
        if name == command or every:
            named(each.options)(added)
    return top


def named(place: str) -> Callable[..., Any]:
    """The function of this room that `module:function` names."""
    module, _, function = place.partition(":")
    return getattr(import_module(f"hexapla.cli.{module}"), function)  # type: ignore[no-any-return]


def as_wide_as_shown(prog: str) -> argparse.HelpFormatter:
    """Help in the terminal's width; argparse itself imports every archive format to ask for that."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (ValueError, OSError):
        columns = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=(columns or 80) - 2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status is 0 for nothing wrong, 1 for findings, 2 for usage, 3 for a defect of ours."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    # Windows looks for a program where a command is given before it looks on the path: a tree's git.exe would be run.
    os.environ.setdefault("NoDefaultCurrentDirectoryInExePath", "1")
    speak_utf8()
    try:
        try:
            chosen = parser(given[0] if given else "").parse_args(given)
            status: int = named(chosen.action)(chosen)
            return status
        finally:
            print(end="", flush=True)  # what is still to be written fails here, where it is told, or never
    except ConfigError as error:
        print(f"hexapla: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:  # the reader of our output has seen enough
        fall_silent()
        return FOUND
    except OSError as error:
        if not error.filename:  # our own output: a disk is full
            fall_silent()
        place = error.filename or "what this prints"
        print(f"hexapla: {place}: {error.strerror or error}; put that right and run it again", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("hexapla: interrupted; nothing that was not finished has been written", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:  # which is no finding: a pipeline that takes 1 for findings must not go on
        traceback.print_exc()
        print(f"hexapla {__version__}: this is a defect of hexapla, not of your files ({type(error).__name__}); report "
              "it with the lines above", file=sys.stderr)
        return CRASHED
