"""Makes argparse's parser of the table of commands, `commands.json`, and of the options of all that read a tree."""

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from hexapla import __version__

TREE = "tree"  # among the options of a command: those of `tree_options.json`


class Command(NamedTuple):
    """A command: what it does, the function that does it, its options, and its examples with what they do.

    The function is named as `module:function` of this room; a module is imported when its command is given, and may
    need the packages of an `extra`. An option has the arguments of argparse's `add_argument`, and `flags`, the name of
    a type, the title of a `group`, or that it stands with others of which `either` is given. `warns` is said by help.
    """

    does: str
    action: str
    options: Sequence[Mapping[str, Any] | str]
    examples: Sequence[Sequence[str]]
    extra: str = ""
    warns: str = ""


def read_table(name: str) -> Any:
    """A table that stands beside this module."""
    return json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


COMMANDS = {name: Command(**row) for name, row in read_table("commands.json").items()}


def make_parser(command: str = "", every: bool = False) -> argparse.ArgumentParser:
    """The parser of one command, or of all where `command` is none: without their options, or with those of `every`."""
    top = argparse.ArgumentParser(
        prog="hexapla", description="Documentation that stays true in every language.", formatter_class=as_wide_as_shown
    )
    top.add_argument("--version", action="version", version=f"hexapla {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, each in COMMANDS.items():
        if command in COMMANDS and name != command:
            continue
        examples = "\n".join(["examples:", *(f"  {line}\n      {what}" for line, what in each.examples)])
        added = commands.add_parser(name, help=each.does, description=". ".join(filter(None, (each.does, each.warns))),
                                    epilog=examples, formatter_class=as_wide_as_shown)
        added.add_argument("--root", type=Path, metavar="DIR", help="the project (default: the nearest mkdocs.yml)")
        added.set_defaults(command=name)
        if every or name == command:
            add_options(added, each.options)
    return top


def add_options(parser: argparse.ArgumentParser, rows: Sequence[Mapping[str, Any] | str]) -> None:
    """Add options to a parser, those of one group below its title."""
    places: dict[str, Any] = {"": parser}
    for row in rows:
        if isinstance(row, str):
            add_options(parser, read_table(f"{row}_options.json"))
            continue
        given = {name: value for name, value in row.items() if name not in {"flags", "group", "either"}}
        if "type" in given:
            given["type"] = TYPES[given["type"]]
        if (title := row.get("group", "")) not in places:
            places[title] = parser.add_argument_group(title)
        if (either := row.get("either", "")) not in places:
            places[either] = parser.add_mutually_exclusive_group()
        places[title or either].add_argument(*row["flags"], **given)


def number_within(least: int, most: float, fault: str) -> Callable[[str], int]:
    """A function that reads a number, and raises ArgumentTypeError with what is wrong with another text."""
    def read_number(given: str) -> int:
        if not given.isdecimal() or not least <= int(given) <= most:
            raise argparse.ArgumentTypeError(f"{given!r} {fault}")
        return int(given)

    return read_number


def parse_duration(given: str) -> float:
    """Seconds, more than none. Raises ArgumentTypeError."""
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{given!r} is no duration; give seconds, more than 0")
    return seconds


def parse_shard(given: str) -> tuple[int, int]:
    """Parse `2/3`, the second of three shards. Raises ArgumentTypeError."""
    number, _, count = given.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError("write it as 1/3")
    return int(number), int(count)


TYPES: Mapping[str, Callable[[str], Any]] = {
    "path": Path, "int": int, "count": number_within(1, inf, "is not 1 or more"), "duration": parse_duration,
    "port": number_within(0, 65535, "is no port; give a number up to 65535"), "shard": parse_shard,
}


def as_wide_as_shown(prog: str) -> argparse.HelpFormatter:
    """Help in the terminal's width; argparse itself imports every archive format to ask for that."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (ValueError, OSError):
        columns = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=(columns or 80) - 2)
