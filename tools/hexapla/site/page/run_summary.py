"""What the runs on a hardware have in common, so that it is said once: the date and the versions of most of them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from hexapla.examples.evidence import Run, RunState
from hexapla.site.texts.strings import say_list, say_sentence


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
    return say_sentence(language, f"where-{state}", date=run.date, versions=versions, reason=run.reason)
