"""A recorded run that contradicts itself, or its file, is no run."""

import pytest
from hexapla.examples.contradictions import without_contradictions
from hexapla.examples.evidence import Evidence, Hardware, Run, Status

from tests.cases import cases

HARDWARE = {"cpu": Hardware("cpu", "Demo", 2, 8 << 30), "gpu": Hardware("gpu", "NVIDIA H100", 1, 80 << 30)}
CPU = Run(
    Status.RAN, "sha256:a", "2026-01-02", 1.5, 1 << 20, {"torch": "2.13.0"}, "3", runner="cpu", device="Demo",
    tests=("test_it",), allocated_bytes=0, files={"tests/snippets/demo/test_a.py": "sha256:b"},
    runtime={"torch": "2.13.0+cpu"}, cores=2,
)
GPU = CPU._replace(
    device="NVIDIA H100", driver="NVIDIA 580", allocated_bytes=512, cores=1,
    runtime={"torch": "2.13.0+cu130", "cuda": "13.0", "device": "NVIDIA H100", "memory_bytes": str(79 << 30)},
)


@pytest.mark.parametrize("case", cases("examples/contradictions"))
def test_case(case):
    fields = dict(case["fields"])
    if "status" in fields:
        fields["status"] = Status(fields["status"])
    run = {"cpu": CPU, "gpu": GPU}[case["hardware"]]._replace(**fields)
    found = without_contradictions(Evidence(HARDWARE[case["hardware"]], {"demo/a.py": run, "demo/b.py": run}))
    assert found.problems.get("demo/a.py", "") == case["problem"]
    assert len(found.runs) == (0 if case["problem"] else 2)
