"""Recorded runs and references to them: what cannot be believed, what has to run again, what a page cannot show."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.finding import Finding
from hexapla.checks.site_index import SiteIndex
from hexapla.errors import ConfigError
from hexapla.examples.current_tree import CurrentTree
from hexapla.examples.evidence import AGAIN, Evidence, Status
from hexapla.examples.evidence_store import EvidenceFile, read_files
from hexapla.examples.markers import MarkerError
from hexapla.examples.result import compare_outputs
from hexapla.examples.runners import Runner, read_runners
from hexapla.files import read_text
from hexapla.pages import Page
from hexapla.pages.evidence_references import evidence_references

LISTED = 5  # runs that one finding names


def recorded_runs(tree: SiteIndex) -> Iterator[Finding]:
    """`evidence-invalid`, `evidence-outdated` and `evidence-differs`: what is wrong with the runs of a tree."""
    root = tree.layout.root
    for snippets in [*tree.open_snippets()][:1]:  # the others hold what pages include, and no runs
        folder = snippets.root
        files = [*read_files(folder / "evidence")]
        yield from invalid_runs(root, files)
        current = CurrentTree(root, snippets)
        evidence = [each.evidence for each in files if each.evidence]
        for file in files:
            if file.evidence:
                yield from outdated_runs(current, file.path, file.evidence)
        for one, other in combinations(evidence, 2):
            if one.hardware.kind == other.hardware.kind:
                yield from differing_runs(current, folder / "evidence", one, other)


def invalid_runs(root: Path, files: Sequence[EvidenceFile]) -> Iterator[Finding]:
    """`evidence-invalid` for each file, and for each run in one, that cannot be believed."""
    runners = known_runners(root)
    for file in files:
        path = file.path.relative_to(root).as_posix()
        if file.problem:
            yield invalid_run(path, 1, file.problem)
        if file.evidence:
            problems = {**file.evidence.problems, **dict(runner_problems(file.evidence, runners))}
            for snippet, problem in problems.items():
                yield invalid_run(path, line_of(file.path, snippet), f"the run of {snippet} {problem}")


def runner_problems(evidence: Evidence, runners: Mapping[str, Runner]) -> Iterator[tuple[str, str]]:
    """The runs by a runner that has another device than theirs; a runner may have been renamed since."""
    kind = evidence.hardware.kind
    for path, run in evidence.runs.items():
        runner = runners.get(run.runner)
        if runner and kind not in {runner.device, runner.stand_in}:
            yield path, f"is by the runner {runner.name}, which has a {runner.device}, and this file is of a {kind}"


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
            message, hint = f"the run of {path} cannot be compared with that of {one.name}", str(error)
        else:
            theirs = [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]
            if not theirs:
                continue
            message = f"the run of {path} printed {theirs[0]!r}, other than that of {one.name}"
        file = folder / f"{other.name}.json"
        yield Finding(
            path=file.relative_to(tree.root).as_posix(), line=line_of(file, path), column=1, rule="evidence-differs",
            severity="warning", message=message, hint=hint,
        )


def evidence_missing(context: RuleContext) -> Iterator[Violation]:
    """`evidence-missing` of a page, in a tree that has snippets."""
    if context.settings.figure is not None:
        yield from missing_figures(context.page, context.document.language, context.settings.figure)


def evidence_findings(page: Page, path: str, language: str, figure: Callable[[str, str], str]) -> Iterator[Finding]:
    """The same as errors, for a build that has no rules to run."""
    for found in missing_figures(page, language, figure):
        yield found.as_error(path, language)


def missing_figures(page: Page, language: str, figure: Callable[[str, str], str]) -> Iterator[Violation]:
    """The references of a page that show nothing; `figure` returns what one shows or raises ValueError."""
    for reference in evidence_references(page.text):
        try:
            figure(reference.code, language)
        except ValueError as error:
            hint = "correct the reference, or record the snippet with `hexapla run --record`"
            yield Violation("evidence-missing", reference.code, f"`{reference.code}`: {error}", hint,
                            reference.line, reference.column)
