"""What is wrong with recorded runs: what cannot be believed, what has to run again, what differs between machines.

They are read where something has changed since the last check.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from hexapla.checks.finding import Finding
from hexapla.errors import ConfigError
from hexapla.examples.evidence import AGAIN, Evidence, Status
from hexapla.examples.evidence_store import EvidenceFile, read_files
from hexapla.examples.markers import MarkerError
from hexapla.examples.outdated_runs import CurrentTree
from hexapla.examples.provenance import LOCKS
from hexapla.examples.result import compare_outputs
from hexapla.examples.runners import Runner, read_runners
from hexapla.examples.snippet import Snippets
from hexapla.files import read_text

LISTED = 5  # runs that one finding names
UNCOMPARED = "cannot be compared"  # within a time, which depends on what else the machine does


def run_findings(root: Path, snippets: Snippets) -> tuple[list[Finding], set[str] | None]:
    """The findings of a folder's runs, and the files that they are made of beside it and its tests.

    None instead of the files where another check may find something else in them.
    """
    folder = snippets.root
    files = [*read_files(folder / "evidence")]
    found = [*invalid_runs(root, files)]
    current = CurrentTree(root, snippets)
    evidence = [each.evidence for each in files if each.evidence]
    for file in files:
        if file.evidence:
            found += outdated_runs(current, file.path, file.evidence)
    for one, other in combinations(evidence, 2):
        if one.hardware.kind == other.hardware.kind:
            found += differing_runs(current, folder / "evidence", one, other)
    recorded = {file for each in evidence for run in each.runs.values() for file in run.files}
    lasting = not any(UNCOMPARED in each.message for each in found)
    return found, {"pyproject.toml", *LOCKS, *recorded} if lasting else None


def invalid_runs(root: Path, files: Sequence[EvidenceFile]) -> Iterator[Finding]:
    """`evidence-invalid` for each file, and for each run in one, that cannot be believed."""
    runners = known_runners(root)
    for file in files:
        path = file.path.relative_to(root).as_posix()
        if file.problem:
            yield invalid_run(path, 1, file.problem)
        if file.evidence:
            kind, problems = file.evidence.hardware.kind, dict(file.evidence.problems)
            for snippet, run in file.evidence.runs.items():
                runner = runners.get(run.runner)  # which may have been renamed since
                if runner and kind not in {runner.device, runner.stand_in}:
                    problems[snippet] = (f"is by the runner {runner.name}, which has a {runner.device}, and this file "
                                         f"is of a {kind}")
            for snippet, problem in problems.items():
                yield invalid_run(path, line_of(file.path, snippet), f"the run of {snippet} {problem}")


def invalid_run(path: str, line: int, message: str) -> Finding:
    return Finding(path=path, line=line, column=1, rule="evidence-invalid", message=message, hint=AGAIN)


def line_of(file: Path, snippet: str) -> int:
    """The line of a file of evidence that a snippet's run begins on."""
    lines = read_text(file.parent, file).splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.strip() == f"{json.dumps(snippet)}: {{"), 1)


def outdated_runs(tree: CurrentTree, file: Path, evidence: Evidence) -> Iterator[Finding]:
    """`evidence-outdated`, one for a file: the runs that say nothing of the tree as it is, each with what has changed.

    A snippet that is gone needs no run.
    """
    known = {*tree.snippets.programs()}
    changes = {path: tree.change_since(path, run) for path, run in evidence.runs.items() if path in known}
    outdated = {path: change for path, change in changes.items() if change}
    if not outdated:
        return
    shown = "; ".join(f"{path}: {change}" for path, change in [*outdated.items()][:LISTED])
    more = f"; and {len(outdated) - LISTED} more" if len(outdated) > LISTED else ""
    names = sorted({evidence.runs[path].runner for path in outdated} - {""})
    runners = "".join(f" --runner {name}" for name in names if name in known_runners(tree.root))
    yield Finding(
        path=file.relative_to(tree.root).as_posix(), line=line_of(file, next(iter(outdated))), column=1,
        rule="evidence-outdated", severity="warning",
        message=f"{len(outdated)} of {len(evidence.runs)} runs are outdated: {shown}{more}",
        hint=f"run `hexapla run{runners} --changed --record` on {evidence.hardware.name}",
    )


def known_runners(root: Path) -> Mapping[str, Runner]:
    """A project's runners by name; none where its configuration cannot be read, which others say."""
    try:
        return read_runners(root)
    except ConfigError:
        return {}


def differing_runs(tree: CurrentTree, folder: Path, one: Evidence, other: Evidence) -> Iterator[Finding]:
    """`evidence-differs`: the same code has printed other numbers on two machines of a kind, and does not measure."""
    for path in sorted(one.runs.keys() & other.runs.keys()):
        first, second = one.runs[path], other.runs[path]
        if first.source != second.source or not first.status is second.status is Status.RAN:
            continue
        wanted = tree.task(path).requirements
        hint = "record both again, or mark its test with pytest.mark.measures"
        try:
            lines = compare_outputs(first.output, second.output, wanted.measures, wanted.varies)
        except MarkerError as error:
            message, hint = f"the run of {path} {UNCOMPARED} with that of {one.name}", str(error)
        else:
            if not lines:
                continue
            first_lines = {line[0]: line[1:].strip() for line in reversed(lines[2:])}  # lines[:2] name both sides
            told = repr(first_lines["+"]) if "+" in first_lines else f"no {first_lines['-']!r}"
            message = f"the run of {path} printed {told}, other than that of {one.name}"
        file = folder / f"{other.name}.json"
        yield Finding(
            path=file.relative_to(tree.root).as_posix(), line=line_of(file, path), column=1, rule="evidence-differs",
            severity="warning", message=message, hint=hint,
        )
