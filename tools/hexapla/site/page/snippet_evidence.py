"""What is known of runs: a snippet's on each hardware, and what most on a hardware have in common, to be said once."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from hexapla.examples.evidence import NEED, Run, RunState
from hexapla.examples.snippet import first_part
from hexapla.site.page.snippet_pages import notebook_url
from hexapla.site.sources import SiteSources
from hexapla.site.texts.strings import say_list, say_sentence

ALWAYS_NAMED = {"torch", "transformers"}  # packages whose versions are given, and those that the snippet imports


class EvidenceState(NamedTuple):
    """The state of a snippet on a hardware today; `run` is None where it has not run.

    `kind` is the kind of hardware as mkdocs.yml names it, `kind_name` what it is called there; `signer` is who has
    signed the record, empty for one that is only recorded.
    """

    state: RunState
    hardware: str
    run: Run | None
    kind: str
    kind_name: str
    signer: str = ""


class SnippetEvidence(NamedTuple):
    """The runs of a snippet.

    `program` is the path of what was run, for a helper that of a snippet that uses it. `packages` are those whose
    versions are given, `prints` is False for a helper, which prints nothing of its own, `notebook` is an address from
    the site's root, None without a notebook.
    """

    program: str
    states: tuple[EvidenceState, ...]
    packages: tuple[str, ...]
    prints: bool
    notebook: str | None

    def shown_run(self) -> EvidenceState | None:
        """The run of the code as it is whose output pages show."""
        shown = (each for each in self.states if each.state in {RunState.RAN, RunState.PARTLY})
        return next(shown, None) if self.prints else None


def snippet_evidence(path: str, sources: SiteSources) -> SnippetEvidence:
    """The runs of the snippet at `path`; those of a file that is no Python are none."""
    if not path.endswith(".py"):
        return SnippetEvidence(path, (), (), False, None)
    program = sources.snippets.run_by(path)
    return SnippetEvidence(
        program,
        tuple(evidence_states(program, sources)),
        tuple(sorted(named_packages(path, sources))),
        program == path,
        notebook_url(program) if program in sources.techniques else None,
    )


def named_packages(path: str, sources: SiteSources) -> set[str]:
    """The packages whose versions are given for a snippet."""
    return ALWAYS_NAMED | {first_part(name) for name in sources.snippets.modules(path)}


def evidence_states(path: str, sources: SiteSources) -> Iterator[EvidenceState]:
    """The states of a program on each hardware of the project."""
    for kind, name in sources.project.hardware.items():
        of_kind = [each for each in sources.evidence if each.hardware.kind == kind and path in each.runs]
        for evidence in of_kind:
            run = evidence.runs[path]
            yield EvidenceState(sources.current.state(path, run), evidence.hardware.name, run, kind, name,
                                evidence.signer)
        if not of_kind and kind in sources.kinds.get(path, ()):
            yield EvidenceState(RunState.NOT_RUN, name, None, kind, name)


class RunSummary(NamedTuple):
    """The date of most runs on a hardware, and of each package the version that most of them had."""

    date: str
    versions: Mapping[str, str]


def summarize_runs(runs: Iterable[tuple[Run, Collection[str]]]) -> RunSummary:
    """The summary of at least one run, each with the packages whose versions count."""
    dates: Counter[str] = Counter()
    versions: dict[str, Counter[str]] = {}
    for run, packages in runs:
        dates[run.date] += 1
        for package, version in named_versions(run, packages).items():
            versions.setdefault(package, Counter())[version] += 1
    common = {package: find_most_common(versions[package]) for package in sorted(versions)}
    return RunSummary(find_most_common(dates), common)


def find_most_common(counted: Counter[str]) -> str:
    """What was counted most often; of several the last in order."""
    return max(counted, key=lambda each: (counted[each], each))


def named_versions(run: Run, packages: Collection[str]) -> dict[str, str]:
    """Those of `packages` that a run had, with their versions; Python's where it had none."""
    named = [package for package in run.versions if package in packages] or [*run.versions][:1]
    return {package: run.versions[package] for package in named}


def versions_text(versions: Mapping[str, str], language: str) -> str:
    """Packages and their versions as a sentence names them."""
    return say_list(language, (f"{package} {version}" for package, version in versions.items()))


def describe_run(state: RunState, run: Run, packages: Collection[str], language: str) -> str:
    """What became of a run, in one sentence, with the versions of `packages`."""
    versions = versions_text(named_versions(run, packages), language)
    values = {"date": run.date, "versions": versions, "reason": run.reason, "needs": list_needs(run, language)}
    return say_sentence(language, f"where-{state}", **values)


def list_needs(run: Run, language: str) -> str:
    """What the part of a program needs that did not run, as a sentence names it."""
    return say_list(language, NEED.findall(run.output))
