"""Every rank ends a step with the gradients of all rows, having seen its share of them."""

import os
import subprocess
import sys

import pytest
from _train_many import on_ranks

from snippets.train_many import ddp as snippet
from snippets.train_many.ddp import Accumulation, Step

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the gradients agree to six digits or so.
SAME = 1e-5
ROWS = 8


@pytest.fixture(scope="module")
def ranks() -> list[tuple[Step, Accumulation]]:
    return on_ranks(snippet.both, snippet.PROCESSES)


def test_the_ranks_share_the_rows(ranks: list[tuple[Step, Accumulation]]) -> None:
    assert len(ranks) == snippet.PROCESSES
    assert sorted(row for step, _ in ranks for row in step.rows) == list(range(ROWS))


def test_every_rank_has_the_gradients_of_all_rows(ranks: list[tuple[Step, Accumulation]]) -> None:
    for step, _ in ranks:
        assert step.difference_from_all_rows < SAME
        assert step.difference_from_its_rows > 0.1


def test_every_gradient_is_sent_once(ranks: list[tuple[Step, Accumulation]]) -> None:
    for step, _ in ranks:
        assert step.bytes_reduced == step.bytes_of_gradients > 0


def test_accumulating_sends_the_gradients_with_the_last_batch_alone(ranks: list[tuple[Step, Accumulation]]) -> None:
    for _, accumulation in ranks:
        assert accumulation.averages_after_first == 0
        assert accumulation.averages > 0
        assert accumulation.difference_from_all_rows < SAME


def test_torchrun_prints_what_the_snippet_prints_alone() -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    command += [str(snippet.PROCESSES), snippet.__file__]
    variables = os.environ | {"OMP_NUM_THREADS": "1"}
    answer = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.count("with all 8 rows: 0.0000") == snippet.PROCESSES
