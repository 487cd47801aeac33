"""What is recorded is what a program prints again."""

import pytest
from hexapla.examples.client import Limits
from hexapla.examples.evidence import Status
from hexapla.examples.local_pool import RunContext, run_snippet, start_worker
from hexapla.examples.provenance import Place
from hexapla.examples.runners import Runner
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import task_of

from tests.cases import cases


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    made = start_worker(root, root / "snippets", Runner("cpu"), "cpu", 1)
    yield made
    made.close()


@pytest.mark.parametrize("case", cases("examples/repetitions"))
def test_case(case, worker):
    files = {"snippets/demo/case.py": case["source"], "tests/snippets/demo/test_case.py": case["test"]}
    for name, text in files.items():
        (worker.prepared.root / name).parent.mkdir(parents=True, exist_ok=True)
        (worker.prepared.root / name).write_text(text)
    root = worker.prepared.root
    context = RunContext(root, Snippets(root / "snippets"), "cpu", "Demo", "", Limits(60), Place(), twice=True)
    ended = run_snippet(task_of(root, "demo/case.py"), context, worker)
    assert (ended.status, ended.reason) == (Status(case["status"]), case["reason"])
    assert bool(ended.output) is (ended.status is Status.RAN)
