"""What is known of a snippet's runs: its state on each hardware, what it printed, where its notebook is."""

from collections.abc import Iterator
from typing import NamedTuple

from hexapla.examples.evidence import Run, RunState
from hexapla.examples.snippet import first_part
from hexapla.site.page.snippet_pages import notebook_url
from hexapla.site.sources import SiteSources

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
