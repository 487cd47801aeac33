"""The command: arguments in, exit status out. The only room that prints or exits."""

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from hexapla import __version__
from hexapla.cli.terminal import CRASHED, FOUND, INTERRUPTED, USAGE, fall_silent, speak_utf8
from hexapla.cli.usage import epilog
from hexapla.errors import ConfigError

# What each command does, the function that adds its options, and the one that does it: `module:function` of this room,
# which is imported when the command is given.
COMMANDS = {
    "init": (
        "set up a project here: from nothing, or from the pages that are there", "init:add_arguments", "init:init"),
    "check": (
        "find broken links, anchors and code, and where languages differ", "check:add_arguments", "check:check"),
    "ci": ("have each change checked: workflow, configuration and baseline", "ci:add_arguments", "ci:ci"),
    "repair": ("bring garbled text back, and say what stays uncertain", "repair:add_arguments", "repair:repair"),
    "status": (
        "show what is behind and missing in each language", "status:add_status_arguments", "status:status"),
    "addresses": (
        "record what was published, so that no address is lost unseen", "addresses:add_arguments",
        "addresses:addresses"),
    "pull-request": (
        "say what a change means for each language, as a comment", "pull_request:add_arguments",
        "pull_request:pull_request"),
    "diff": (
        "show what changed in the source since a translation was made", "diff:add_diff_arguments", "diff:diff"),
    "sync": (
        "record that a translation was read and stands for today's source", "sync:add_arguments", "sync:sync"),
    "review": (
        "doubt what a translation says beside its source", "review:add_arguments", "review:review"),
    "translate": (
        "translate in the browser, the languages side by side", "editor:add_arguments", "editor:translate"),
    "next": (
        "show the next section to translate, with all that its translation needs", "tasks:add_next_arguments",
        "tasks:show_next"),
    "submit": (
        "hand in the translation of a section: judged, and written as a draft", "tasks:add_submit_arguments",
        "tasks:submit_section"),
    "mcp": (
        "serve sections to translate to a client of the Model Context Protocol", "options:add_tree_arguments",
        "tasks:serve"),
    "instructions": (
        "print what a translator's tool has to know of a language: terms, style, what is refused",
        "instructions:add_arguments", "instructions:instructions"),
    "draft": ("draft what is missing or behind by a model", "drafts:add_arguments", "drafts:draft"),
    "export": (
        "write PO or XLIFF files for translators' own tools", "exchange:add_export_arguments", "exchange:export"),
    "import": (
        "take translations out of PO or XLIFF files", "exchange:add_import_arguments", "exchange:import_files"),
    "add-language": (
        "set up a language to translate into", "new:add_language_arguments", "new:add_language"),
    "convert": (
        "bring pages in another dialect of Markdown over, and back", "convert:add_arguments", "convert:convert"),
    "stage": (
        "write the site's pages as a tree for an engine that runs no plugins, and build it", "stage:add_arguments",
        "stage:stage_tree"),
    "new": ("begin a snippet: the program, its test, its block on a page", "new:add_arguments", "new:new"),
    "run": ("run snippets and show, or record, what happened", "examples:add_run_arguments", "examples:run"),
    "runners": ("show where snippets run, and a job matrix", "examples:add_runners_arguments", "examples:runners"),
    "completion": (
        "print the script that a shell completes commands with", "completion:add_arguments", "completion:completion"),
}


def parser(command: str = "", every: bool = False) -> argparse.ArgumentParser:
    """The command with its options, each described where it is done; all commands where `command` is none.

    The options of `every` command are asked for by what completes them alone: a module a command is imported.
    """
    top = argparse.ArgumentParser(
        prog="hexapla", description="Documentation that stays true in every language.", formatter_class=as_wide_as_shown
    )
    top.add_argument("--version", action="version", version=f"hexapla {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, (help_text, options, action) in COMMANDS.items():
        if command in COMMANDS and name != command:
            continue
        added = commands.add_parser(name, help=help_text, description=help_text, epilog=epilog(name),
                                    formatter_class=as_wide_as_shown)
        added.add_argument("--root", type=Path, metavar="DIR", help="the project (default: the nearest mkdocs.yml)")
        added.set_defaults(action=action)
        if name == command or every:
            named(options)(added)
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
