"""Repair files: read, diagnosed, repaired, written or reported. Prints nothing; the command does."""

import difflib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.files import LARGEST, ChangedError, is_own_file, replace_if_unchanged
from hexapla.installation import state_folder
from hexapla.mojibake.model.models import Corpus
from hexapla.mojibake.repairer import Repair, looks_clean, repair
from hexapla.processes import count_cores, end_with_parent
from hexapla.report_text import as_json

Progress = Callable[[int, int], None]     # done, of so many
SUFFIXES = frozenset({".md", ".mdx", ".markdown", ".rst", ".txt", ".po", ".html"})


class RepairOptions(NamedTuple):
    """What is repaired, and how; without a `corpus` of clean pages, with the help of those of the docs tree.

    With `keep` the garbled text stays beside what is written. An uncertain character is shown as the likeliest with
    `guess`, else as 〓, which is written with `mark` alone. `jobs` is 0 for a process a core, `format` text or json.
    """

    paths: tuple[Path, ...]
    corpus: tuple[Path, ...] = ()
    write: bool = False
    keep: bool = True
    guess: bool = False
    mark: bool = False
    check: bool = False
    jobs: int = 0
    format: str = "text"


corpus: Corpus     # of a worker process, set once when it starts


def _start_worker(clean: tuple[str, ...], cache: Path | None) -> None:
    global corpus
    end_with_parent()
    corpus = Corpus(clean, cache)


def _repair_text(text: str, guess: bool) -> Repair:
    return repair(text, corpus, guess=guess)


def repair_all(texts: Sequence[str], clean: tuple[str, ...], cache: Path | None, options: RepairOptions,
               progress: Progress | None) -> Iterator[Repair]:
    """Repair texts, in their order, with the help of clean ones; built models are kept in a folder."""
    jobs, repair_text = min(options.jobs or count_cores(), len(texts)), partial(_repair_text, guess=options.guess)
    if jobs <= 1:
        _start_worker(clean, cache)
    several = ProcessPoolExecutor(jobs, None, _start_worker, (clean, cache)) if jobs > 1 else nullcontext()
    with several as pool:
        for done, result in enumerate(pool.map(repair_text, texts) if pool else map(repair_text, texts), 1):
            if progress:
                progress(done, len(texts))
            yield result


class FileError(Exception):
    """A file that cannot be read or written; the message is one sentence that says which, why and what to do."""


class SourceFile(NamedTuple):
    """A file's text as it was read."""

    path: Path
    text: str


def text_files(paths: Iterable[Path]) -> Iterator[Path]:
    """List the files named, and the text files under the folders named, in order; hidden folders are left out."""
    for path in paths:
        if not path.exists():
            raise FileError(f"{path}: no such file or folder; check the spelling")
        if not path.is_dir():
            yield path
            continue
        for found in sorted(path.rglob("*")):
            hidden = any(part.startswith(".") for part in found.relative_to(path).parts)
            if found.suffix.lower() in SUFFIXES and not hidden and is_own_file(path, found):
                yield found


def read_source(path: Path) -> SourceFile:
    """Read a file's text, line endings and byte order mark as they are. Raises FileError."""
    try:
        if path.stat().st_size > LARGEST:
            raise FileError(f"{path}: larger than {LARGEST // 2**20} MB; split it into parts")
        data = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    if b"\0" in data:
        raise FileError(f"{path}: holds NUL bytes, so it is binary or UTF-16; convert it to UTF-8 first")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: byte {data[error.start]:#04x} at offset {error.start} is not UTF-8; "
            "convert the file from its own encoding first, nothing is lost yet"
        ) from error
    return SourceFile(path, text)


def write_repaired(source: SourceFile, text: str, keep: bool) -> Path | None:
    """Replace a file by its repaired text; with `keep` the garbled one is left beside it. Raises FileError."""
    path, garbled = source.path.resolve(), source.text.encode("utf-8")
    beside = path.with_name(path.name + ".garbled")
    try:
        if not os.access(path, os.W_OK):
            raise FileError(f"{source.path}: is read-only; make it writable or repair a copy")
        kept = beside.read_bytes() if keep and beside.exists() else None
        if kept not in (None, garbled):
            raise FileError(f"{beside}: is there already; move it away or pass --no-keep")
        if keep:
            replace_if_unchanged(beside, kept, garbled, stat.S_IMODE(path.stat().st_mode))
        replace_if_unchanged(path, garbled, text.encode("utf-8"))
    except ChangedError as error:
        raise FileError(f"{source.path}: changed while it was being repaired; run the repair again") from error
    except OSError as error:
        raise FileError(f"{source.path}: not written ({error.strerror}); the file is as it was") from error
    return beside if keep else None


class RepairOutcome(NamedTuple):
    """What to print on standard output, what on standard error, and the exit status."""

    output: str
    errors: tuple[str, ...]
    status: int


def repair_files(options: RepairOptions, clean: Callable[[], Iterable[str]], root: Path,
                 progress: Progress | None = None) -> RepairOutcome:
    """Repair the files that the options name; `clean` gives the docs tree's clean pages, `root` keeps built models."""
    errors: list[str] = []
    try:
        sources = list(_read_sources(text_files(options.paths), errors))
        suspects = [source for source in sources if not looks_clean(source.text)]
        if options.check:
            lines = [f"{source.path}: garbled; run: hexapla repair {source.path}" for source in suspects]
            return RepairOutcome("\n".join(lines), tuple(errors), 2 if errors else 1 if lines else 0)
        clean_texts = _clean_texts(options, clean) if suspects else ()
    except FileError as error:
        return RepairOutcome("", (str(error),), 2)
    cache = state_folder(root).path if suspects else None
    repaired = repair_all([source.text for source in suspects], clean_texts, cache, options, progress)
    return _report_repairs(options, sources, list(zip(suspects, repaired, strict=True)), errors)


def _read_sources(paths: Iterable[Path], errors: list[str]) -> Iterator[SourceFile]:
    for path in paths:
        try:
            yield read_source(path)
        except FileError as error:
            errors.append(str(error))


def _clean_texts(options: RepairOptions, clean: Callable[[], Iterable[str]]) -> tuple[str, ...]:
    """The clean texts that models are built from; garbled ones among them are left out."""
    named = (source.text for source in _read_sources(text_files(options.corpus), []))
    return tuple(text for text in (named if options.corpus else clean()) if looks_clean(text))


def _report_repairs(options: RepairOptions, sources: list[SourceFile], results: list[tuple[SourceFile, Repair]],
            errors: list[str]) -> RepairOutcome:
    """Write the repaired files if asked to; report all of them."""
    left = any(_still_garbled(options, repaired) for _, repaired in results)
    lines: list[str] = []
    for source, repaired in results:
        if options.write:
            lines.append(_write_repair(options, source, repaired, errors))
        else:
            lines += as_text(str(source.path), source.text, repaired)
    if options.format == "json":
        found = {source.path: repaired for source, repaired in results}
        everything = [(str(source.path), found.get(source.path) or Repair.clean(source.text)) for source in sources]
        lines = [as_json(files=[_describe_file(*each) for each in everything])]
    elif not results and not errors:
        lines = [f"{len(sources)} files read, none garbled"]
    output = "\n".join(line for line in lines if line)
    return RepairOutcome(output, tuple(errors), 2 if errors else 1 if left else 0)


def _still_garbled(options: RepairOptions, repaired: Repair) -> bool:
    """Whether a page is still garbled after this run, or has 〓 in it: a guess that was asked for settles a place."""
    if repaired.diagnosis.refused:
        return True
    return repaired.garbled and not (options.write and (options.guess or not repaired.uncertain))


def _write_repair(options: RepairOptions, source: SourceFile, repaired: Repair, errors: list[str]) -> str:
    """Write one repaired file; the line of the report, empty where an error says why it was not written."""
    if repaired.text == source.text:
        return heading_line(str(source.path), repaired)
    if repaired.uncertain and not (options.guess or options.mark):
        errors.append(
            f"{source.path}: not written, {len(repaired.uncertain)} characters are uncertain; "
            "write 〓 for them with --mark, or the likeliest with --guess"
        )
        return ""
    try:
        kept = write_repaired(source, repaired.text, options.keep)
    except FileError as error:
        errors.append(str(error))
        return ""
    return heading_line(str(source.path), repaired) + (f"; the garbled text is in {kept.name}" if kept else "")


DOUBTFUL = 0.95     # the share of likely right characters under which the heading tells it
SHOWN = 12      # uncertain characters that are listed for each file


def _describe_file(path: str, repair: Repair) -> dict[str, Any]:
    told = ("line", "column", "text", "confidence", "alternatives")
    return {
        "path": path,
        "garbled": repair.garbled,
        "diagnosis": {key: value for key, value in repair.diagnosis._asdict().items() if key != "garbled"},
        "changed": repair.changed,
        "expected": round(repair.expected, 4),
        "uncertain": [{key: getattr(item, key) for key in told} for item in repair.uncertain],
        "text": repair.text,
    }


def heading_line(path: str, repair: Repair) -> str:
    """One line: what happened to a file and what came of it."""
    diagnosis = repair.diagnosis
    if diagnosis.refused:
        return f"{path}: {diagnosis.refused}"
    happened = "; ".join((*diagnosis.steps, *((f"inserted {diagnosis.inserted}",) if diagnosis.inserted else ())))
    cut = "; cut short" if diagnosis.cut_short else ""
    sure = repair.changed - len(repair.uncertain)
    trust = f"; of the likeliest about {repair.expected:.0%} are right" if repair.expected < DOUBTFUL else ""
    return f"{path}: garbled ({happened}{cut}): {sure} characters repaired, {len(repair.uncertain)} uncertain{trust}"


def as_text(path: str, garbled: str, repair: Repair) -> Iterator[str]:
    """The lines that a person reads: the heading, the difference, what is uncertain."""
    yield heading_line(path, repair)
    if repair.text != garbled:
        before, after = (text.splitlines() for text in (garbled, repair.text))
        yield from difflib.unified_diff(before, after, f"{path} (garbled)", f"{path} (repaired)", lineterm="", n=1)
    for item in repair.uncertain[:SHOWN]:
        others = f", or {' '.join(item.alternatives)}" if item.alternatives else ""
        best = f"{item.text or 'nothing fits'} ({item.confidence:.2f})"
        yield f"{path}:{item.line}:{item.column}: uncertain: {best}{others}"
    if len(repair.uncertain) > SHOWN:
        yield f"{path}: and {len(repair.uncertain) - SHOWN} more uncertain; --format json lists them all"
