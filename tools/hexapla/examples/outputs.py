"""The recorded output that pages show of a snippet: that of its first run that went well."""

from collections.abc import Callable, Iterable

from hexapla.config import Project
from hexapla.examples.evidence import Evidence, EvidenceError, Status, parse


def outputs(project: Project) -> Callable[[str], str]:
    """A snippet's path -> its output on the first hardware of the project that it ran on, "" for none.

    A run counts although the snippet has changed since: what is shown then changes with the next recording.
    """
    found: list[Evidence] = []
    for file in sorted(project.evidence.glob("*.json")):
        try:
            found.append(parse(file.read_text(encoding="utf-8")))
        except (EvidenceError, UnicodeDecodeError):
            continue  # the build and the recording say so
    return recorded(found, project.hardware)


def recorded(evidence: Iterable[Evidence], hardware: Iterable[str]) -> Callable[[str], str]:
    """The same of evidence already read; `hardware` are the kinds, in order."""
    found = list(evidence)
    ordered = [each for kind in hardware for each in found if each.hardware.kind == kind]

    def output(path: str) -> str:
        runs = (each.runs[path] for each in ordered if path in each.runs)
        return next((run.output for run in runs if run.status is Status.RAN), "")

    return output
