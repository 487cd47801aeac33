"""Commands in processes forked from one that has imported them, so that a build or a check costs no imports.

    python -m tests.site.command_server FOLDER

The folder is for the theme's templates, compiled by whoever needs one first.
A line of JSON comes in for each command, `Request`; a line with its exit status goes out.
"""

import gc
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import NamedTuple, NoReturn

import hexapla.__main__
import mkdocs.__main__
import pygments.lexers

from tests.site.compiled_templates import keep_compiled_templates

# What commands import once they know what is asked.
IMPORTED = (
    "hexapla.cli.check", "hexapla.cli.exchange", "hexapla.cli.status", "hexapla.markdown", "hexapla.site.build.builder",
    "hexapla.site.plugin", "material.templates", "mkdocs_static_i18n.plugin",
    "pymdownx.highlight", "pymdownx.superfences",
)
PROGRAMS: dict[str, Callable[[], object]] = {"mkdocs": mkdocs.__main__.cli, "hexapla": hexapla.__main__.main}
LIMIT = 300  # seconds a command may take


class Request(NamedTuple):
    """A program and its arguments, the folder and the variables that it starts with, and the files for what it says."""

    program: str
    arguments: list[str]
    folder: str
    variables: dict[str, str]
    output: str
    errors: str


def main(folder: str) -> None:
    """Serve until the other end is closed."""
    for module in IMPORTED:
        importlib.import_module(module)
    keep_compiled_templates(folder)
    [*pygments.lexers.get_lexer_by_name("python").get_tokens("")]  # which compiles the expressions of the lexer
    gc.freeze()  # forks share these pages until somebody writes to them
    statuses = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        process = os.fork()
        if not process:
            run(Request(**json.loads(line)))
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), file=statuses, flush=True)


def run(request: Request) -> NoReturn:
    """Run the program in this fork, as `python -m` starts it, and end as it does."""
    signal.alarm(LIMIT)
    for descriptor, file in enumerate((os.devnull, request.output, request.errors)):
        os.dup2(os.open(file, os.O_RDWR), descriptor)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.variables)
    sys.path[0] = request.folder
    started = sys.modules[f"{request.program}.__main__"]
    sys.argv = [started.__file__, *request.arguments]
    sys.modules["__main__"] = started  # the processes that a command starts import it again
    sys.exit(PROGRAMS[request.program]())


if __name__ == "__main__":
    main(sys.argv[1])
