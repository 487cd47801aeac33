"""`hexapla repair`: its arguments, and what it comes to. Prints nothing and exits nothing; the caller does."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hexapla.mojibake.batch import Options, Progress, repair_all
from hexapla.mojibake.files import FileProblem, Source, pages_under, read_source, write_repaired
from hexapla.mojibake.repairer import THRESHOLD, Repair, looks_clean
from hexapla.mojibake.report import as_json, as_text, heading
from hexapla.mojibake.review import Ask, load_memory, recalled, review, save_memory


@dataclass(frozen=True)
class Outcome:
    """What to print on standard output, what on standard error, and the exit status."""

    output: str
    errors: tuple[str, ...]
    status: int


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `hexapla repair`."""
    add = parser.add_argument
    add("paths", nargs="+", type=Path, metavar="PATH", help="a file, or a folder of Markdown and text files")
    add("--corpus", action="append", type=Path, metavar="DIR", help="clean pages (default: those of the docs tree)")
    add("--threshold", type=float, default=THRESHOLD, metavar="P", help="confidence to accept (default 0.99)")
    add("--write", action="store_true", help="put the repaired text in place, keep the old as .garbled")
    add("--no-keep", action="store_true", help="with --write: keep no .garbled file")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--guess", action="store_true", help="show the likeliest character where it is uncertain")
    either.add_argument("--mark", action="store_true", help="show 〓 where it is uncertain, and write that")
    either.add_argument("--review", action="store_true", help="ask about uncertain characters one by one")
    add("--check", action="store_true", help="only say which files are garbled")
    add("--jobs", type=int, default=0, metavar="N", help="processes (default: one a core)")
    add("--format", choices=("text", "json"), default="text", help="how to report")


def run(arguments: Namespace, clean: Callable[[], Iterable[str]], state: Path, ask: Ask | None = None,
        progress: Progress | None = None) -> Outcome:
    """Repair what the arguments name.

    clean: gives the clean pages of the docs tree; called only where something is garbled and no --corpus is given.
    state: a folder for built models and remembered decisions (".hexapla" in the project's root).
    ask: puts a question to a person, for --review. progress: called with (done, of so many) as texts are repaired.
    """
    if arguments.review and ask is None:
        return Outcome("", ("--review needs a terminal to ask on; use --guess or --mark here",), 2)
    if not 0.0 < arguments.threshold <= 1.0:
        return Outcome("", (f"--threshold {arguments.threshold} is no confidence; give one above 0, at most 1",), 2)
    errors: list[str] = []
    try:
        sources = list(_sources(pages_under(arguments.paths), errors))
        suspects = [source for source in sources if not looks_clean(source.text)]
        if arguments.check:
            return _checked(suspects, errors)
        options = Options(_corpus(arguments, clean, suspects), state / "cache", arguments.threshold, arguments.guess)
    except FileProblem as problem:
        return Outcome("", (str(problem),), 2)
    memory = load_memory(state / "repair-choices.json")
    texts = [source.text for source in suspects]
    results = []
    for source, repaired in zip(suspects, repair_all(texts, options, arguments.jobs, progress), strict=True):
        repaired = recalled(repaired, memory)
        if arguments.review and ask:
            repaired, decided = review(repaired, str(source.path), ask)
            memory |= decided
            save_memory(state / "repair-choices.json", memory)
        results.append((source, repaired))
    return _reported(arguments, sources, results, errors)


def _sources(paths: Iterable[Path], errors: list[str]) -> Iterator[Source]:
    for path in paths:
        try:
            yield read_source(path)
        except FileProblem as problem:
            errors.append(str(problem))


def _corpus(arguments: Namespace, clean: Callable[[], Iterable[str]], suspects: list[Source]) -> tuple[str, ...]:
    """The clean texts to learn from, the garbled ones among them left out."""
    if not suspects:
        return ()
    if arguments.corpus:
        texts = [source.text for source in _sources(pages_under(arguments.corpus), [])]
    else:
        texts = list(clean())
    return tuple(text for text in texts if looks_clean(text))


def _checked(suspects: list[Source], errors: list[str]) -> Outcome:
    lines = [f"{source.path}: garbled; run: hexapla repair {source.path}" for source in suspects]
    return Outcome("\n".join(lines), tuple(errors), 2 if errors else 1 if lines else 0)


def _reported(arguments: Namespace, sources: list[Source], results: list[tuple[Source, Repair]],
              errors: list[str]) -> Outcome:
    left = any(_left(arguments, repaired) for _, repaired in results)
    lines: list[str] = []
    for source, repaired in results:
        if arguments.write:
            lines.append(_written(arguments, source, repaired, errors))
        else:
            lines += as_text(str(source.path), source.text, repaired)
    if arguments.format == "json":
        found = {source.path: repaired for source, repaired in results}
        everything = [(str(source.path), found.get(source.path) or Repair.clean(source.text)) for source in sources]
        lines = [json.dumps(as_json(everything), ensure_ascii=False, indent=1)]
    elif not results and not errors:
        lines = [f"{len(sources)} files read, none garbled"]
    return Outcome("\n".join(line for line in lines if line), tuple(errors), 2 if errors else 1 if left else 0)


def _left(arguments: Namespace, repaired: Repair) -> bool:
    """Whether a page is still garbled after this run, or has 〓 in it: a guess that was asked for settles a place."""
    if repaired.diagnosis.refused:
        return True
    return repaired.garbled and not (arguments.write and (arguments.guess or not repaired.uncertain))


def _written(arguments: Namespace, source: Source, repaired: Repair, errors: list[str]) -> str:
    if repaired.text == source.text:
        return heading(str(source.path), repaired)
    if repaired.uncertain and not (arguments.guess or arguments.mark):
        errors.append(
            f"{source.path}: not written, {len(repaired.uncertain)} characters are uncertain; "
            "settle them with --review, write 〓 for them with --mark, or the likeliest with --guess"
        )
        return ""
    try:
        kept = write_repaired(source, repaired.text, not arguments.no_keep)
    except FileProblem as problem:
        errors.append(str(problem))
        return ""
    return heading(str(source.path), repaired) + (f"; the garbled text is in {kept.name}" if kept else "")
