"""Evidence: recorded runs of snippets, one JSON file a hardware, with a digest for each run.

    {"schema": 1,
     "hardware": {"kind": "cpu", "name": "...", "cores": 2, "memory_bytes": 25769803776},
     "runs": {"train_one/fp16.py": {"status": "ran", "source": "sha256:...", "date": "2026-11-21", "seconds": 3.1,
              ..., "digest": "sha256:..."}}}

The digest is over the rest of the run, so that a line changed by hand does not pass for one that was measured. Fields
that an older run lacks are read as empty: it was recorded before they were.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from hexapla.files import later_schema

SCHEMA = 1
# A printed PNG, as an output holds it: its first bytes, and the rest.
PNG = re.compile(r"^data:image/png;base64,iVBORw0KGgoAAAANSUhEU[\w+/]+=*$", re.M)
# How a program that ran says which of its parts did not: "No snapshot: it needs CUDA, and PyTorch finds none here".
# The other words are those of transformers.
NEED = re.compile(
    r"\b(?:needs|the package for) ([\w.-]+)(?:, and [\w.-]+ finds none here| doesn't seem to be installed)")


class Status(StrEnum):
    """How a run ended. A snippet that could not run here was skipped, and that is not the same as ran."""

    RAN = "ran"
    FAILED = "failed"
    SKIPPED = "skipped"


class RunState(StrEnum):
    """The state of a snippet's evidence on a hardware: that of its last run, or outdated, or missing.

    One that ran only partly has printed what its other part needs.
    """

    RAN = "ran"
    PARTLY = "partly"
    FAILED = "failed"
    SKIPPED = "skipped"
    CHANGED = "changed"
    NOT_RUN = "not-run"


class Hardware(NamedTuple):
    """A machine. `kind` is what the project calls this class of hardware ("cpu", "gpu"); memory is in bytes."""

    kind: str
    name: str
    cores: int
    memory_bytes: int


class Run(NamedTuple):
    """One run of one snippet, and of the tests that asserted its effect.

    `source` is the hash of the code that ran; `reason` says why it did not run; `seconds` and `peak_memory_bytes` (of
    the largest of its processes) are the program's own, `test_seconds` those of its tests; what the runner imports
    ahead takes none of these seconds. `allocated_bytes` are those that it allocated on GPUs, all in all.
    `versions` are by the names that are imported, `distributions` what installs those that it calls otherwise; `files`
    are the hashes of all files of the tree that the run is a function of, its test's among them, `lock` is that of the
    pins of what it imported. `runtime` is what PyTorch says of itself and of its device, `cpu` the instructions of the
    processor that matter; `commit` is that of the tree, `job` the address of the CI job. None or empty is not recorded.
    """

    status: Status
    source: str
    date: str
    seconds: float
    peak_memory_bytes: int
    versions: Mapping[str, str]
    output: str
    reason: str = ""
    runner: str = ""
    device: str = ""
    driver: str = ""
    tests: Sequence[str] = ()
    test_seconds: float = 0.0
    allocated_bytes: int | None = None
    distributions: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    lock: str = ""
    runtime: Mapping[str, str] = {}
    cores: int = 0
    cpu: str = ""
    commit: str = ""
    job: str = ""


class Evidence(NamedTuple):
    """All runs on one hardware, by path below `snippets/`; `problems` says why others are not believed."""

    hardware: Hardware
    runs: Mapping[str, Run]
    problems: Mapping[str, str] = {}
    name: str = ""
    signer: str = ""


class EvidenceError(ValueError):
    """A file that is not evidence; the message says what is wrong and what to do."""


EXAMPLE = Run(Status.RAN, "", "", 0.0, 0, {}, "")._asdict() | {"tests": [], "status": "", "allocated_bytes": 0}
LATER = Run._fields[Run._fields.index("allocated_bytes") :]  # fields that older runs lack, and keep lacking
AGAIN = "record it again with `hexapla run --record`"


def source_hash(*parts: bytes) -> str:
    """The hash of a snippet and of the modules beside it that it imports."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.replace(b"\r\n", b"\n")).digest())
    return f"sha256:{digest.hexdigest()[:32]}"


def digest_run(run: Mapping[str, Any]) -> str:
    """The hash of a run's fields but the digest itself."""
    rest = {key: value for key, value in run.items() if key != "digest"}
    packed = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(packed.encode()).hexdigest()[:32]}"


def dump_evidence(evidence: Evidence) -> str:
    """The file's text: sorted, one field a line, so that a review shows what changed."""
    runs = {}
    for path, run in sorted(evidence.runs.items()):
        missing = {name for name in LATER if getattr(run, name) == Run._field_defaults[name]}
        fields = {name: value for name, value in run._asdict().items() if name not in missing}
        runs[path] = fields | {"digest": digest_run(fields)}
    data = {"schema": SCHEMA, "hardware": evidence.hardware._asdict(), "runs": runs}
    return json.dumps(data, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def parse_evidence(text: str, without: Collection[str] = ()) -> Evidence:
    """Parse the evidence in a file's text, without the runs of the snippets in `without`. Raises EvidenceError."""
    found = parse_rows(text, "", without)
    for path, problem in found.problems.items():
        raise EvidenceError(f"the run of {path} {problem}")
    return found


def parse_rows(text: str, name: str = "", without: Collection[str] = ()) -> Evidence:
    """Parse evidence, with the rows that cannot be read as problems. Raises EvidenceError for what is none at all."""
    try:
        data = json.loads(text, object_pairs_hook=unique_names)
    except (ValueError, RecursionError) as error:
        raise EvidenceError(f"is not JSON ({error})") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        found = data.get("schema") if isinstance(data, dict) else None
        raise EvidenceError(later_schema(found, SCHEMA) or f"has schema {found!r} where {SCHEMA} is read")
    try:
        hardware = Hardware(**data["hardware"])
        rows = {path: fields for path, fields in data["runs"].items() if path not in without}
    except (KeyError, TypeError, AttributeError) as error:
        raise EvidenceError(f"lacks a field or has one too many ({error})") from error
    if type_problem(Hardware("", "", 0, 0)._asdict(), hardware._asdict()):
        raise EvidenceError("describes its hardware in fields of another type")
    runs, problems = {}, {}
    for path, fields in rows.items():
        try:
            runs[path] = parse_run(fields)
        except EvidenceError as error:
            problems[path] = str(error)
    return Evidence(hardware, runs, problems, name)


def unique_names(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises ValueError where a name stands in it twice, as after a merge: which one counts?"""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)} stands there twice")
    return found


def parse_run(fields: Any) -> Run:
    """Parse one run. Raises EvidenceError for a wrong digest, an unknown status, fields that are no run's."""
    if not isinstance(fields, dict) or fields.get("digest") != digest_run(fields):
        raise EvidenceError("was changed by hand: its digest does not hold")
    rest = {key: value for key, value in fields.items() if key != "digest"}
    if rest.get("status") not in {status.value for status in Status}:
        raise EvidenceError(f"has status {rest.get('status')!r}")
    if problem := type_problem(EXAMPLE, rest):
        raise EvidenceError(problem)
    try:
        return Run(**rest | {"status": Status(rest["status"]), "tests": tuple(rest.get("tests", ()))})
    except TypeError as error:
        raise EvidenceError(f"lacks a field or has one too many ({error})") from error


def type_problem(example: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Which field is of another type than in an example, or holds what is no text; empty for none."""
    for name, value in fields.items():
        kind = type(example.get(name, value))
        held = [*value, *(value.values() if isinstance(value, dict) else ())] if isinstance(value, dict | list) else []
        number = kind is float and type(value) is int
        if not (isinstance(value, kind) or number) or not all(isinstance(each, str) for each in held):
            return f"has {name} of another type"
    return ""


def file_name(hardware: Hardware) -> str:
    """The evidence file of a hardware: `cpu-intel-xeon-gold.json`."""
    words = re.findall(r"[a-z0-9]+", f"{hardware.kind} {hardware.name}".lower())
    noise = {"r", "tm", "cpu", "processor"}
    return "-".join(words[:1] + [word for word in words[1:] if word not in noise]) + ".json"
