"""The command that a report ends with, made to run as printed: with the tree's options, and with what it needs."""

import argparse
import shlex
from importlib.util import find_spec

NEXT = "next: hexapla "
TREE = ("root", "layout", "source_layout", "source", "languages", "anchors")
INSTALL = "next: pip install 'hexapla[translate]', then hexapla "


def repeated_options(args: argparse.Namespace) -> str:
    """The options of the tree as they were given, quoted for a shell, with a space before each.

    >>> repeated_options(argparse.Namespace(root="my docs", layout="{lang}/{page}.md"))
    " --root 'my docs' --layout '{lang}/{page}.md'"
    """
    given = ((name, getattr(args, name, None)) for name in TREE)
    return "".join(f" --{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in given if value)


def with_runnable_command(report: str, args: argparse.Namespace) -> str:
    """A report whose last line, where that is a command, runs on the tree that the report is about."""
    before, start, command = report.rpartition(NEXT)
    if not start or "\n" in command.rstrip("\n"):
        return report
    lacks = command.startswith("export ") and find_spec("polib") is None
    return f"{before}{INSTALL if lacks else start}{command.rstrip()}{repeated_options(args)}\n"
