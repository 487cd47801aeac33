"""What a recorded run cannot be: the reasons for which a row contradicts itself, or the file that it stands in."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from hexapla.examples.evidence import Evidence, Hardware, Run, Status, file_name

TOLERANCE = 0.1  # of a device's memory, part of which its driver keeps


def without_contradictions(evidence: Evidence) -> Evidence:
    """The evidence with the rows that contradict themselves among its problems."""
    found = {path: next(find_contradictions(evidence.hardware, run), "") for path, run in evidence.runs.items()}
    problems = {path: reason for path, reason in found.items() if reason}
    runs = {path: run for path, run in evidence.runs.items() if path not in problems}
    return evidence._replace(runs=runs, problems={**evidence.problems, **problems})


def name_problem(evidence: Evidence) -> str:
    """Why a file cannot have its name: it is that of its hardware, by which pages refer to it; empty if it can."""
    stem = file_name(evidence.hardware).removesuffix(".json")
    if evidence.name in {stem, f"{stem}-x{evidence.hardware.cores}"}:
        return ""
    return f"is of {evidence.hardware.name}, whose evidence is called {stem}.json"


def find_contradictions(hardware: Hardware, run: Run) -> Iterator[str]:
    """The reasons why a row cannot be what its file says, as the ends of a sentence; fields not recorded give none."""
    build, version = run.runtime.get("torch", ""), run.versions.get("torch", "")
    if run.device != hardware.name and (run.device or run.files):
        yield f"ran on {run.device or 'no named device'}, and this file is of {hardware.name}"
    if run.cores not in {0, hardware.cores}:
        yield f"ran on {run.cores} cores or devices, and this file is of {hardware.cores}"
    same = public_version(build) == public_version(version) and ("+" not in version or build == version)
    if build and version and not same:
        yield f"has torch {version} by its package and {build} by itself"
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    if run.date > tomorrow or not re.fullmatch(r"[\d-]{10}|", run.date):
        yield f"is dated {run.date}, a day that has not come"
    if run.status is Status.RAN:
        yield from (gpu_contradictions if hardware.kind == "gpu" else other_contradictions)(hardware, run)
        if not run.output.strip():
            yield "ran and printed nothing, which is recorded as failed"
        if not run.tests and any(file.startswith("tests/") for file in run.files):
            yield "ran, and none of its tests passed"


def gpu_contradictions(hardware: Hardware, run: Run) -> Iterator[str]:
    """The reasons why a run was not one on a GPU, or not on this one."""
    build = run.runtime.get("torch", run.versions.get("torch", ""))
    if build.endswith("+cpu") or (run.runtime and not {"cuda", "hip"} & run.runtime.keys()):
        yield f"ran with torch {build}, a build for CPUs, on {hardware.name}"
    if run.allocated_bytes == 0:
        yield f"allocated no memory on {hardware.name}"
    if run.device and not run.driver:
        yield "ran on a GPU, and names no driver"
    name, memory = run.runtime.get("device", ""), re.sub(r"\D", "", run.runtime.get("memory_bytes", ""))
    if name and name != hardware.name:
        yield f"computed on {name}, and this file is of {hardware.name}"
    if memory and abs(1 - int(memory) / max(1, hardware.memory_bytes)) > TOLERANCE:
        yield f"computed on a device of {int(memory) >> 30} GiB, and this file is of {hardware.memory_bytes >> 30} GiB"


def other_contradictions(hardware: Hardware, run: Run) -> Iterator[str]:
    """The reasons why a run was not one on a CPU or a TPU."""
    if run.allocated_bytes or "device" in run.runtime or run.driver:
        yield f"used a GPU, and this file is of {hardware.name}"
    if 0 < hardware.memory_bytes < run.peak_memory_bytes:
        yield f"took {run.peak_memory_bytes >> 20} MiB of memory, more than {hardware.name} has"


def public_version(version: str) -> str:
    """A version without the name of its build."""
    return version.partition("+")[0]
