"""The command: arguments in, exit status out. The only room that prints or exits."""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from hexapla import __version__
from hexapla.cli.command_parser import COMMANDS, make_parser
from hexapla.cli.terminal import CRASHED, FOUND, INTERRUPTED, USAGE, fall_silent, require_extra, speak_utf8
from hexapla.errors import ConfigError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status is 0 for nothing wrong, 1 for findings, 2 for usage, 3 for a defect of ours."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    # Windows looks for a program where a command is given before it looks on the path: a tree's git.exe would be run.
    os.environ.setdefault("NoDefaultCurrentDirectoryInExePath", "1")
    speak_utf8()
    try:
        try:
            chosen = make_parser(given[0] if given else "").parse_args(given)
            module, _, function = COMMANDS[chosen.command].action.partition(":")
            with require_extra(COMMANDS[chosen.command].extra):
                act: Callable[[Any], int] = getattr(import_module(f"hexapla.cli.{module}"), function)
            return act(chosen)
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
