"""The options that name a tree, and the command that a report ends with, which repeats them to run as printed."""

import argparse
import shlex
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec

from hexapla.config.discovery import TreeOptions

NEXT = "next: hexapla "
TREE: dict[str, object] = dict.fromkeys(
    ("root", "layout", "source_layout", "source", "source_repo", "languages", "framework", "anchors"))
INSTALL = "next: pip install 'hexapla[translate]', then hexapla "


def tree_options(args: argparse.Namespace) -> TreeOptions:
    """The tree that a command's options name."""
    codes = tuple(code.strip() for code in (args.languages or "").split(",") if code.strip())
    return TreeOptions(
        args.root, args.layout or "", args.source_layout or "", args.source or "", codes, args.anchors or "",
        args.framework or "", args.source_repo or "",
    )


def option_words(args: argparse.Namespace, defaults: Mapping[str, object]) -> list[str]:
    """The options that were given, as words of a command line; `defaults` has those to repeat, by name.

    >>> option_words(argparse.Namespace(jobs=4, timeout=60.0, root=None), {"root": None, "jobs": 4, "timeout": 300.0})
    ['--timeout', '60']
    >>> option_words(argparse.Namespace(select=["a", "b"]), {"select": None})
    ['--select', 'a', '--select', 'b']
    """
    given = ((name, getattr(args, name, None), default) for name, default in defaults.items())
    return [word for name, value, default in given if value not in (None, "", False, default)
            for each in (value if isinstance(value, list) else [value])
            for word in (f"--{name.replace('_', '-')}", f"{each:g}" if isinstance(each, float) else str(each))
            if word != "True"]


def command_again(command: str, places: Iterable[object], options: Sequence[str], *more: str) -> str:
    """A command once more, quoted for a shell: what it was given, its options, and what is new.

    >>> command_again("check", ["my docs"], ["--jobs", "4"], "--fix", "--write")
    "hexapla check 'my docs' --jobs 4 --fix --write"
    """
    return shlex.join(["hexapla", command, *map(str, places), *options, *more])


def repeated_options(args: argparse.Namespace) -> str:
    """The options of the tree as they were given, quoted for a shell, with a space before each.

    >>> repeated_options(argparse.Namespace(root="my docs", layout="{lang}/{page}.md"))
    " --root 'my docs' --layout '{lang}/{page}.md'"
    """
    return "".join(f" {shlex.quote(word)}" for word in option_words(args, TREE))


def with_runnable_command(report: str, args: argparse.Namespace) -> str:
    """A report whose last line, where that is a command, runs on the tree that the report is about."""
    before, start, command = report.rpartition(NEXT)
    if not start or "\n" in command.rstrip("\n"):
        return report
    lacks = command.startswith("export ") and find_spec("polib") is None
    return f"{before}{INSTALL if lacks else start}{command.rstrip()}{repeated_options(args)}\n"
