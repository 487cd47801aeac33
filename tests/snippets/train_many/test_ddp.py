"""Every rank ends a step with the gradients of all rows, having seen its share of them."""

import os
import subprocess
import sys

import pytest
from _train_many import on_ranks

from snippets.train_many import ddp as snippet
from snippets.train_many.ddp import Seen

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the gradients agree to six digits or so.
SAME = 1e-5
ROWS = 8


@pytest.fixture(scope="module")
def ranks() -> list[Seen]:
    return on_ranks(snippet.everything, snippet.PROCESSES)


def test_the_ranks_share_the_rows(ranks: list[Seen]) -> None:
    assert len(ranks) == snippet.PROCESSES
    assert sorted(row for seen in ranks for row in seen.step.rows) == list(range(ROWS))


def test_every_rank_has_the_gradients_of_all_rows(ranks: list[Seen]) -> None:
    for step in (seen.step for seen in ranks):
        assert step.difference_from_all_rows < SAME
        assert step.difference_from_its_rows > 0.1


def test_every_gradient_is_sent_once(ranks: list[Seen]) -> None:
    for step in (seen.step for seen in ranks):
        assert step.bytes_reduced == step.bytes_of_gradients > 0


def test_accumulating_sends_the_gradients_with_the_last_batch_alone(ranks: list[Seen]) -> None:
    for accumulation in (seen.accumulation for seen in ranks):
        assert accumulation.averages_after_first == 0
        assert accumulation.averages > 0
        assert accumulation.difference_from_all_rows < SAME


def test_rows_of_other_lengths_are_averaged_by_token_and_not_by_rank(ranks: list[Seen]) -> None:
    for seen in ranks:
        assert seen.unequal.by_token < SAME
        assert seen.unequal.by_rank > 0.1


def test_every_epoch_has_an_order_of_its_own_and_all_rows(ranks: list[Seen]) -> None:
    first, second = ([row for seen in ranks for row in seen.epochs[epoch]] for epoch in (0, 1))
    assert sorted(set(first)) == sorted(set(second)) == list(range(9))
    assert first != second
    assert len(first) == 10  # The sampler repeats a row, so that all ranks have as many.


def test_torchrun_prints_what_the_snippet_prints_alone() -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    command += [str(snippet.PROCESSES), snippet.__file__]
    variables = os.environ | {"OMP_NUM_THREADS": "1"}
    answer = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.count("with all 8 rows: 0.0000") == snippet.PROCESSES
