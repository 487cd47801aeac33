"""Evidence files of a project: read before anything is run, and written with the new runs merged in."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from hexapla.config.project import Project
from hexapla.errors import ConfigError
from hexapla.examples.contradictions import name_problem, without_contradictions
from hexapla.examples.evidence import (
    Evidence,
    EvidenceError,
    Hardware,
    Run,
    Status,
    dump_evidence,
    file_name,
    parse_evidence,
    parse_rows,
)
from hexapla.examples.signatures import SignatureError, find_signer, signature_of
from hexapla.examples.snippet import Snippets
from hexapla.files import is_own_file, read_text, write_file


def record_run(
    file: Path, hardware: Hardware, snippet: str, run: Run, names: Collection[str], accepted: Collection[str] = ()
) -> None:
    """Put a run into what a file holds by now of the snippets in `names`. Raises ConfigError."""
    try:
        before = read_runs(file, {snippet})
    except ConfigError:  # one that is still to run, and is `accepted`, may be what cannot be trusted
        before = read_runs(file, {snippet, *accepted})
    kept = {name: each for name, each in before.items() if name in names}
    write_file(file, dump_evidence(Evidence(held_hardware(file, hardware), {**kept, snippet: run})).encode())
    signature_of(file).unlink(missing_ok=True)  # it was of what the file held before


def file_of(folder: Path, hardware: Hardware) -> Path:
    """The file of a hardware; where its name is taken by another, as one of more cores, their number is added."""
    file = folder / file_name(hardware)
    held = held_hardware(file, hardware)
    taken = (held.name, held.cores) != (hardware.name, hardware.cores)
    return file.with_stem(f"{file.stem}-x{hardware.cores}") if taken else file


def held_hardware(file: Path, otherwise: Hardware) -> Hardware:
    with suppress(EvidenceError, OSError, UnicodeDecodeError):
        return parse_rows(read_text(file.parent, file)).hardware
    return otherwise


def read_runs(file: Path, without: Collection[str]) -> Mapping[str, Run]:
    """Read the runs of a file, none from a missing one. Raises ConfigError for a file that cannot be trusted."""
    if not file.is_file():
        return {}
    try:
        found = without_contradictions(parse_evidence(read_text(file.parent, file), without))
        for path, problem in found.problems.items():
            raise EvidenceError(f"the run of {path} {problem}")
        return found.runs
    except (EvidenceError, UnicodeDecodeError) as error:
        todo = "take the change back, record that snippet again, or move the file away and record again"
        raise ConfigError(f"{file}: {error}; {todo}") from error


class EvidenceFile(NamedTuple):
    """A file of evidence: what can be believed of it, None if nothing can, and why."""

    path: Path
    evidence: Evidence | None
    problem: str = ""


def read_files(folder: Path) -> Iterator[EvidenceFile]:
    """Read the evidence of every hardware, each file by itself."""
    for file in sorted(folder.glob("*.json")):
        if is_own_file(folder, file):
            try:
                found = without_contradictions(parse_rows(read_text(folder, file), file.stem))
                found, problem = found._replace(signer=find_signer(file)), name_problem(found)
                yield EvidenceFile(file, None if problem else found, problem)
            except (EvidenceError, SignatureError, UnicodeDecodeError) as error:
                yield EvidenceFile(file, None, str(error))


def read_all(folder: Path) -> Iterator[Evidence]:
    """Read the evidence of every hardware; files that cannot be read are left out, `hexapla check` reports them."""
    return (file.evidence for file in read_files(folder) if file.evidence)


def current_evidence(snippets: Snippets, recorded: Iterable[Evidence]) -> Iterator[Evidence]:
    """Evidence as it is for the snippets of today: what is recorded of a program that is gone is no run any more."""
    known = {*snippets.programs()}
    for found in recorded:
        gone = dict.fromkeys(found.runs.keys() - known, "is of a program that is gone")
        runs = {path: run for path, run in found.runs.items() if path in known}
        yield found._replace(runs=runs, problems={**found.problems, **gone})


def recorded_outputs(project: Project) -> Callable[[str], str]:
    """A function from a snippet's path to its output in a project's evidence, on its first hardware; "" for none."""
    folder = project.evidence
    files = (file for file in sorted(folder.glob("*.json")) if is_own_file(folder, file))
    return of_texts(tuple(read_text(folder, file, "replace") for file in files), tuple(project.hardware))


@lru_cache(maxsize=16)
def of_texts(texts: tuple[str, ...], hardware: tuple[str, ...]) -> Callable[[str], str]:
    """A function from a snippet's path to its output, from evidence files' texts; cached: many sections share them."""
    readable = []
    for text in texts:
        with suppress(EvidenceError):
            readable.append(parse_rows(text))
    return outputs_of(readable, hardware)


def outputs_of(evidence: Iterable[Evidence], hardware: Iterable[str]) -> Callable[[str], str]:
    """A function from a snippet's path to its output, from parsed evidence; `hardware` are the kinds, in order."""
    found = list(evidence)
    ordered = [each for kind in hardware for each in found if each.hardware.kind == kind]

    def find_output(path: str) -> str:
        runs = (each.runs[path] for each in ordered if path in each.runs)
        return next((run.output for run in runs if run.status is Status.RAN), "")

    return find_output
