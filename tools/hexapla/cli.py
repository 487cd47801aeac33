"""The command: arguments in, exit status out. The only module that prints or exits."""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from hexapla import seams

if TYPE_CHECKING:
    from hexapla.checks.finding import Finding
    from hexapla.glossary import Term
    from hexapla.translation.exchange.importing import Judge
    from hexapla.translation.tree import Tree

FOUND, USAGE, INTERRUPTED = 1, 2, 130

Progress = Callable[[int, int], None]


def parser(command: str = "") -> argparse.ArgumentParser:
    """The command with its options, each described where it is done; all commands where `command` is none."""
    top = argparse.ArgumentParser(
        prog="hexapla", description="Documentation that stays true in every language.", formatter_class=as_wide_as_shown
    )
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, (help_text, places, action) in COMMANDS.items():
        if command in COMMANDS and name != command:
            continue
        added = commands.add_parser(
            name, help=help_text, description=help_text, formatter_class=as_wide_as_shown
        )
        added.add_argument("--root", type=Path, metavar="DIR", help="the project (default: the nearest mkdocs.yml)")
        added.set_defaults(action=action)
        for place in places if name == command else ():
            module, _, describe = place.partition(":")
            getattr(import_module(module), describe)(added)
    return top


def as_wide_as_shown(prog: str) -> argparse.HelpFormatter:
    """Help in the terminal's width; argparse itself imports every archive format to ask for that."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (ValueError, OSError):
        columns = 80
    return argparse.HelpFormatter(prog, width=(columns or 80) - 2)


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


def check(chosen: argparse.Namespace) -> int:
    """`hexapla check`: the findings of a tree, of some of its pages, or of a built site."""
    from hexapla.checks.command import run
    from hexapla.reports import FORMATS, Summary

    def report(findings: "tuple[Finding, ...]", pages: int, languages: tuple[str, ...]) -> str:
        return FORMATS[chosen.format](findings, Summary(pages, languages, color=coloured()))

    with progress("checking") as step:
        if chosen.site:
            text, status = run(chosen, report)
        else:
            terms = seams.own_terms(chosen.root)
            text, status = run(chosen, report, terms, seams.garbled, seams.traditional, step)
    sys.stdout.write(text)
    return status


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


def run(chosen: argparse.Namespace) -> int:
    """`hexapla run`: one line a snippet, the reason under those that did not run."""
    from hexapla import config
    from hexapla.examples.command import run_command

    return 0 if run_command(chosen, config.load(chosen.root or config.find_root(Path.cwd())), say) else FOUND


def runners(chosen: argparse.Namespace) -> int:
    """`hexapla runners`: one line a runner, or a job matrix."""
    from hexapla import config
    from hexapla.examples.command import runners_command

    return 0 if runners_command(chosen, config.load(chosen.root or config.find_root(Path.cwd())), say) else FOUND


def say(line: str) -> None:
    """Print a line of a report that is still being written."""
    print(line, flush=True)


def status(chosen: argparse.Namespace) -> int:
    """`hexapla status`: what is current, behind and missing, by page and section. Being behind is no failure."""
    from hexapla.translation import answers, command

    tree = translated_tree(chosen)
    whole = not (chosen.pages or chosen.since or chosen.views)
    question = answers.Question(tree, (chosen.format, str(coloured()), *tree.languages)) if whole else None
    if question and (said := question.kept()) is not None:
        sys.stdout.write(said)
        return 0
    with all_kept():
        pages = command.survey(tree, chosen.pages, chosen.views)
    if not chosen.pages:
        tree.remember()
    if chosen.since:
        with command.at(tree.layout.root, chosen.since) as folder:
            then = command.survey(translated_tree(argparse.Namespace(**{**vars(chosen), "root": folder})))
        pages = command.fallen(then, pages)
    said = command.status_text(chosen.format, pages, command.notes(tree), tree, english, coloured())
    if question:
        question.keep(said)
    sys.stdout.write(said)
    return 0


def diff(chosen: argparse.Namespace) -> int:
    """`hexapla diff`: what changed in the source since a translation was made, the translation beside it."""
    from hexapla.translation import command

    sys.stdout.write(command.diff(translated_tree(chosen), chosen.pages, chosen.section, chosen.language, coloured()))
    return 0


def sync(chosen: argparse.Namespace) -> int:
    """`hexapla sync`: read, still right: the translation stands for today's source."""
    from hexapla.translation import command

    tree = translated_tree(chosen)
    done = command.sync(tree, chosen.pages, chosen.section, chosen.language, chosen.write)
    sys.stdout.write(command.sync_text(done, chosen.write))
    return 0


def draft(chosen: argparse.Namespace) -> int:
    """`hexapla draft`: missing sections by a model on this disk; 1 where sections stay missing."""
    from hexapla import seams
    from hexapla.drafts import command, model

    tree, terms = translated_tree(chosen), seams.own_terms(chosen.root)
    with needing("snippets"):
        translate = model.load(chosen.model, tree.layout.source, chosen.language)
    left = 0
    with progress("drafting") as step:
        for made in command.drafts(tree, chosen, terms, translate, judge(tree, terms), step):
            print("\n".join(command.told(made, chosen.write)), flush=True)
            left += made.missing - len(made.plan.records)
    return FOUND if left else 0


def translate(chosen: argparse.Namespace) -> int:
    """`hexapla translate`: the pages side by side in a browser, until Ctrl+C."""
    from hexapla import seams
    from hexapla.desk.command import application, serve

    with needing("translate"):
        make = application(lambda: translated_tree(chosen), seams.own_terms(chosen.root), seams.garbled)
    serve(make, chosen.port, lambda text: print(text, flush=True))
    return 0


def export(chosen: argparse.Namespace) -> int:
    """`hexapla export`: the pages' messages for translators' own tools."""
    from hexapla import seams
    from hexapla.translation.exchange import command

    tree, terms = translated_tree(chosen), seams.own_terms(chosen.root)
    with needing("translate"):
        told = command.export(tree, chosen.pages, chosen.language, chosen.format, chosen.output, terms)
    sys.stdout.write(told)
    return 0


def import_files(chosen: argparse.Namespace) -> int:
    """`hexapla import`: translations out of translators' files; what `check` calls an error is refused."""
    from hexapla import seams
    from hexapla.translation.exchange import command

    tree = translated_tree(chosen)
    with needing("translate"):
        found = command.bring(tree, chosen.folder, judge(tree, seams.own_terms(chosen.root)), chosen.write)
    print(*command.told(found, chosen.write), sep="\n")
    return FOUND if command.refused(found) else 0


def judge(tree: "Tree", terms: "tuple[Term, ...]") -> "Judge":
    """What says which errors a text would bring into a page of a tree."""
    from hexapla.checks import typed
    from hexapla.translation.exchange.importing import Fault

    checker = typed.checker(tree.layout, terms)

    def faults(path: str, language: str, name: str, text: str) -> list[Fault]:
        found = typed.new_errors(checker, path, language, name, text)
        return [Fault(item.line, f"{item.rule}: {item.message}") for item in found]

    return faults


def add_language(chosen: argparse.Namespace) -> int:
    """`hexapla add-language`: all that a new language starts from."""
    from hexapla import config
    from hexapla.site.strings import table
    from hexapla.translation import newlanguage

    project = config.load(chosen.root or config.find_root(Path.cwd()))
    new = newlanguage.files(project, chosen.code, chosen.name, table()["en"], chosen.code in table())
    if chosen.write:
        newlanguage.put(new)
    for file in new:
        print(f"{file.relative_to(project.root)}: {'written' if chosen.write else 'would be written'}")
    if not new:
        print(f"nothing to write: {chosen.code} is set up")
    print(f"next: hexapla status, then translate into docs/{chosen.code}/" if chosen.write or not new
          else "nothing was written; set it up with --write")
    return 0


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Say what to install where a package of an extra is missing."""
    try:
        yield
    except ModuleNotFoundError as missing:
        from hexapla.failure import ConfigError

        wanted = f"install it with `pip install 'hexapla[{extra}]'`"
        raise ConfigError(f"this command needs the package {missing.name}; {wanted}") from missing


def translated_tree(chosen: argparse.Namespace) -> "Tree":
    """The tree that options name, with what its sections show besides their text."""
    from hexapla import config
    from hexapla.examples.outputs import of_texts, outputs
    from hexapla.place import find_layout, snippet_reader
    from hexapla.translation.tree import Recordings, read

    place = find_layout(chosen)
    snippet = snippet_reader(place) or nothing
    if not (place.root / "mkdocs.yml").is_file():
        return read(place, snippet, lambda path: "")
    project = config.load(place.root)
    recordings = Recordings(project.evidence, partial(of_texts, hardware=tuple(project.hardware)))
    return read(place, snippet, outputs(project), recordings=recordings)


def english(name: str, /, **values: object) -> str:
    """A sentence of the site in English."""
    from hexapla.site.strings import say

    return say("en", name, **values)


def nothing(path: str) -> str:
    """A tree without snippets has no included files."""
    raise FileNotFoundError(path)


@contextmanager
def all_kept() -> Iterator[None]:
    """For work that makes much and throws away little: to look for garbage in it takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


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


# A command's name: what it does, where its options are described, what does it.
TREE = "hexapla.options:add_tree_arguments"
COMMANDS: dict[str, tuple[str, tuple[str, ...], Callable[[argparse.Namespace], int]]] = {
    "check": (
        "find broken links, anchors and code, and where languages differ",
        ("hexapla.reports:add_arguments", "hexapla.checks.command:add_arguments"), check,
    ),
    "repair": (
        "bring garbled text back, and say what stays uncertain",
        ("hexapla.mojibake.command:add_arguments",), repair,
    ),
    "status": (
        "show what is behind and missing in each language",
        ("hexapla.translation.command:add_status_arguments", TREE), status,
    ),
    "diff": (
        "show what changed in the source since a translation was made",
        ("hexapla.translation.command:add_diff_arguments", TREE), diff,
    ),
    "sync": (
        "record that a translation was read and stands for today's source",
        ("hexapla.translation.command:add_sync_arguments", TREE), sync,
    ),
    "translate": (
        "translate in the browser, the languages side by side",
        ("hexapla.desk.command:add_arguments", TREE), translate,
    ),
    "draft": (
        "draft missing sections by a model on this disk",
        ("hexapla.drafts.command:add_arguments", TREE), draft,
    ),
    "export": (
        "write PO or XLIFF files for translators' own tools",
        ("hexapla.translation.exchange.command:add_export_arguments", TREE), export,
    ),
    "import": (
        "take translations out of PO or XLIFF files",
        ("hexapla.translation.exchange.command:add_import_arguments", TREE), import_files,
    ),
    "add-language": (
        "set up a language to translate into", ("hexapla.translation.newlanguage:add_arguments",), add_language,
    ),
    "run": (
        "run snippets and show, or record, what happened", ("hexapla.examples.command:add_run_arguments",), run,
    ),
    "runners": (
        "show where snippets run, and a job matrix", ("hexapla.examples.command:add_runners_arguments",), runners,
    ),
}

if __name__ == "__main__":
    sys.exit(main())
