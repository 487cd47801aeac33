"""`hexapla completion`: a script that a shell completes commands, options and paths with."""

import argparse
import sys
from pathlib import Path

import shtab

from hexapla.cli.command_parser import make_parser


def completion(chosen: argparse.Namespace) -> int:
    """Print the script of a shell, made of the options of all commands."""
    whole = make_parser(every=True)
    for action in find_path_arguments(whole):
        action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks for it
    sys.stdout.write(shtab.complete(whole, chosen.shell))
    return 0


def find_path_arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The arguments of a parser and its commands that are files or folders."""
    found = []
    for action in parser._actions:  # argparse has no other way to list them
        if isinstance(action, argparse._SubParsersAction):
            found += [each for command in action.choices.values() for each in find_path_arguments(command)]
        elif action.type is Path:
            found.append(action)
    return found
