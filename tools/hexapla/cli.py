"""The command: arguments in, exit status out. The only module that prints or exits."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexapla.glossary import Term

FOUND, USAGE, INTERRUPTED = 1, 2, 130

Progress = Callable[[int, int], None]


def parser(command: str = "") -> argparse.ArgumentParser:
    """All commands; the options of `command` alone, since each is described where it is done."""
    top = argparse.ArgumentParser(prog="hexapla", description="Documentation that stays true in every language.")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, (help_text, options, action) in COMMANDS.items():
        added = commands.add_parser(name, help=help_text, description=help_text)
        added.add_argument("--root", type=Path, metavar="DIR", help="the project (default: the nearest mkdocs.yml)")
        added.set_defaults(action=action)
        if name == command:
            options(added)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status is 0 for nothing wrong, 1 for findings or failures, 2 for usage."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    chosen = parser(given[0] if given else "").parse_args(given)
    action: Callable[[argparse.Namespace], int] = chosen.action
    from hexapla.failure import ConfigError

    try:
        return action(chosen)
    except ConfigError as error:
        print(f"hexapla: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    except KeyboardInterrupt:
        print("hexapla: interrupted; nothing that was not finished has been written", file=sys.stderr)
        return INTERRUPTED


def check_options(added: argparse.ArgumentParser) -> None:
    """The options of `hexapla check`."""
    from hexapla.checks.command import add_arguments
    from hexapla.reports import FORMATS

    added.add_argument("--format", choices=FORMATS, default="text", help="how to report (default: text)")
    add_arguments(added)


def check(chosen: argparse.Namespace) -> int:
    """`hexapla check`: the findings of a tree, of some of its pages, or of a built site."""
    from hexapla.checks import Finding
    from hexapla.checks.command import run
    from hexapla.reports import FORMATS, Summary

    def report(findings: tuple[Finding, ...], pages: int, languages: tuple[str, ...]) -> str:
        return FORMATS[chosen.format](findings, Summary(pages, languages, color=coloured()))

    terms = () if chosen.site else own_terms(chosen.root)
    with progress("checking") as step:
        text, status = run(chosen, report, terms, garbled, traditional, step)
    sys.stdout.write(text)
    return status


def own_terms(root: Path | None) -> "tuple[Term, ...]":
    """The glossary of the project that we stand in; a tree that is not ours has none."""
    from hexapla import config, glossary

    try:
        file = config.load(root or config.find_root(Path.cwd())).glossary
        return glossary.parse(file.read_text(encoding="utf-8")) if file.is_file() else ()
    except config.ConfigError:
        return ()
    except (glossary.GlossaryError, UnicodeDecodeError) as error:
        raise config.ConfigError(f"{file}: {error}") from error


def garbled(text: str) -> str | None:
    """Why a text looks like mojibake, None where it does not."""
    from hexapla import mojibake

    return None if mojibake.looks_clean(text) else "it reads like UTF-8 that was opened as something else"


def traditional(text: str) -> str:
    """A text in Traditional Chinese; the dictionaries are loaded when a page asks for them."""
    from hexapla.hanzi import Converter

    return Converter({})(text)


def repair_options(added: argparse.ArgumentParser) -> None:
    """The options of `hexapla repair`."""
    from hexapla.mojibake.command import add_arguments

    add_arguments(added)


def repair(chosen: argparse.Namespace) -> int:
    """`hexapla repair`: garbled texts repaired, what stays uncertain said."""
    from hexapla import config
    from hexapla.files import pages_under
    from hexapla.mojibake.command import run

    try:
        project = config.load(chosen.root or config.find_root(Path.cwd()))
        root, docs = project.root, project.docs
    except config.ConfigError:
        if chosen.root:
            raise
        root, docs = Path.cwd(), None  # garbled files need no project; --corpus names clean pages

    def clean() -> Iterator[str]:
        for page in pages_under(docs) if docs else ():
            yield page.read_text(encoding="utf-8", errors="replace")

    ask = input if sys.stdin.isatty() and sys.stdout.isatty() else None
    try:
        with progress("repairing") as step:
            outcome = run(chosen, clean, root / ".hexapla", ask, None if chosen.review else step)
    except ModuleNotFoundError as missing:
        wanted = "install it with `pip install 'hexapla[repair]'`"
        raise config.ConfigError(f"repairing needs the package {missing.name}; {wanted}") from missing
    if outcome.output:
        print(outcome.output)
    for error in outcome.errors:
        print(f"hexapla: {error}", file=sys.stderr)
    return outcome.status


def run_options(added: argparse.ArgumentParser) -> None:
    """The options of `hexapla run`."""
    added.add_argument("select", nargs="*", metavar="SELECT", help="snippets, as area, area/technique or a part of it")
    added.add_argument("--on", default="cpu", metavar="KIND", help="the kind of hardware: cpu (default) or gpu")
    added.add_argument("--record", action="store_true", help="write the evidence below snippets/evidence/")
    added.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="limit for each (default: 300)")


def run(chosen: argparse.Namespace) -> int:
    """`hexapla run`: one line a snippet, the reason under those that did not run."""
    from hexapla import config
    from hexapla.examples import machine, record
    from hexapla.examples.evidence import Status
    from hexapla.examples.run import run as run_snippet
    from hexapla.examples.snippets import Snippets

    project = config.load(chosen.root or config.find_root(Path.cwd()))
    snippets = Snippets(project.snippets)
    hardware = machine.describe(chosen.on)
    if hardware is None:
        raise config.ConfigError(f"this machine has no {chosen.on!r} that can be described; choose --on cpu")
    runs = {}
    for name in record.select(snippets.names(), chosen.select):
        runs[name] = result = run_snippet(snippets, name, chosen.on, chosen.timeout)
        mebibytes = result.peak_memory_bytes / 2**20
        print(f"{result.status:8} {result.seconds:6.1f} s  {mebibytes:7.0f} MiB  {name}", flush=True)
        if result.reason:
            print(f"         {result.reason}")
    counts = {status: sum(result.status is status for result in runs.values()) for status in Status}
    print(", ".join(f"{count} {status}" for status, count in counts.items()), f"on {hardware.name}")
    if chosen.record:
        file = record.write_evidence(project.evidence, hardware, runs)
        print(f"evidence: {file.relative_to(project.root)}")
    return FOUND if counts[Status.FAILED] else 0


def coloured() -> bool:
    """Whether colours are welcome where we print."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


@contextmanager
def progress(what: str) -> Iterator[Progress | None]:
    """A bar on a terminal, taken away when the work is done; nothing where there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


COMMANDS = {
    "check": ("find broken links, anchors and code, and where languages differ", check_options, check),
    "repair": ("bring garbled text back, and say what stays uncertain", repair_options, repair),
    "run": ("run snippets and show, or record, what happened", run_options, run),
}

if __name__ == "__main__":
    sys.exit(main())
