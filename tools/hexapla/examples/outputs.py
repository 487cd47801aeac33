"""The recorded output that pages show for a snippet: that of its first successful run."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from hexapla.config.project import Project
from hexapla.examples.evidence import Evidence, Status
from hexapla.examples.evidence_store import parse_readable, read_all


def outputs(project: Project) -> Callable[[str], str]:
    """Read a project's evidence; returns a function from a snippet's path to its output, "" for none.

    The output is that of the first of the project's hardware that it ran on, also if the snippet has changed since.
    """
    return recorded(read_all(project.evidence), project.hardware)


@lru_cache(maxsize=16)
def of_texts(texts: tuple[str, ...], hardware: tuple[str, ...]) -> Callable[[str], str]:
    """The same from the texts of evidence files; cached, since many sections share an old version of them."""
    return recorded(parse_readable(texts), hardware)


def recorded(evidence: Iterable[Evidence], hardware: Iterable[str]) -> Callable[[str], str]:
    """The same from parsed evidence; `hardware` are the kinds, in order."""
    found = list(evidence)
    ordered = [each for kind in hardware for each in found if each.hardware.kind == kind]

    def output(path: str) -> str:
        runs = (each.runs[path] for each in ordered if path in each.runs)
        return next((run.output for run in runs if run.status is Status.RAN), "")

    return output
