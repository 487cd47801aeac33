"""Builds in processes forked from one that has imported MkDocs, so that a build costs no imports.

    python -m tests.site.build_server FOLDER

The folder is for the theme's templates, compiled by whoever needs one first.
A line of JSON comes in for each build, `Request`; a line with its exit status goes out.
"""

import gc
import importlib
import json
import os
import signal
import sys
from typing import NamedTuple, NoReturn

import mkdocs.__main__

from tests.site.compiled_templates import keep_compiled_templates

# What each build imports; the last two for its notebooks.
IMPORTED = ("mkdocs_static_i18n.plugin", "hexapla.site.plugin", "hexapla.site.build.builder", "jupytext", "nbformat")
LIMIT = 300  # seconds a build may take


class Request(NamedTuple):
    """MkDocs' arguments, the folder and the variables that it starts with, and the files for what it says."""

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
    gc.freeze()  # forks share these pages until somebody writes to them
    statuses = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        process = os.fork()
        if not process:
            run(Request(**json.loads(line)))
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), file=statuses, flush=True)


def run(request: Request) -> NoReturn:
    """Run MkDocs in this fork, as `python -m mkdocs` starts, and end as it does."""
    signal.alarm(LIMIT)
    for descriptor, file in enumerate((os.devnull, request.output, request.errors)):
        os.dup2(os.open(file, os.O_RDWR), descriptor)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.variables)
    sys.path[0] = request.folder
    sys.argv = [mkdocs.__main__.__file__, *request.arguments]
    sys.modules["__main__"] = mkdocs.__main__  # the processes that a build starts import it again
    sys.exit(mkdocs.__main__.cli())


if __name__ == "__main__":
    main(sys.argv[1])
