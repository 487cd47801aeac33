"""Two CPU processes that gloo connects train as one: in bf16, with the gradients of all rows."""

import pytest
from _train_cpu_many import single_process_norm

from snippets.train_cpu_many import gloo as snippet
from snippets.train_cpu_many.gloo import Step

pytestmark = pytest.mark.needs(devices=2)


@pytest.fixture(scope="module")
def ranks() -> list[Step]:
    return snippet.by_torchrun()


def test_the_processes_are_one_group_by_gloo(ranks: list[Step]) -> None:
    assert [(step.rank, step.processes) for step in ranks] == [(0, 2), (1, 2)]
    assert {(step.backend, step.wrapped) for step in ranks} == {("gloo", "DistributedDataParallel")}


def test_the_linear_layers_compute_in_bf16(ranks: list[Step]) -> None:
    assert {step.linear_dtype for step in ranks} == {"torch.bfloat16"}


def test_every_process_has_the_gradients_of_all_rows(ranks: list[Step]) -> None:
    assert ranks[0].gradient_norm == ranks[1].gradient_norm
    assert ranks[0].gradient_norm == pytest.approx(single_process_norm(), rel=1e-2)  # bf16 has three digits.
