"""HSDP holds a half on each rank of two machines of two, all-reduces across machines, and gives the same gradients."""

import pytest
import torch
from _fsdp2 import on_ranks, tiny_model
from torch.distributed.fsdp import fully_shard

from snippets.fsdp2 import hsdp as snippet
from snippets.fsdp2.hsdp import Step

pytestmark = pytest.mark.needs(devices=4)
LAYERS = 3
HSDP, MIXED, FSDP = range(3)


@pytest.fixture(scope="module")
def ranks() -> list[list[Step]]:
    return on_ranks(snippet.steps, snippet.PROCESSES)


@pytest.mark.parametrize("way", [HSDP, FSDP])
def test_the_gradients_are_those_of_all_rows(ranks: list[list[Step]], way: int) -> None:
    assert all(steps[way].difference < 1e-5 for steps in ranks)


def test_mixed_precision_keeps_fp32_weights_and_rounds_the_gradients(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[MIXED].dtype == torch.float32
        assert 1e-4 < steps[MIXED].difference < 0.05


def test_a_rank_holds_a_half_or_a_quarter(ranks: list[list[Step]]) -> None:
    for way, share in {HSDP: 1 / 2, MIXED: 1 / 2, FSDP: 1 / 4}.items():
        shares = [steps[way].share for steps in ranks]
        assert sum(shares) == pytest.approx(len(shares) * share)
        assert shares == pytest.approx([share] * len(shares), rel=0.03)  # A vocabulary of 251 does not divide.


def test_gradients_cross_machines_once_per_unit(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[HSDP].counts == {
            "all-gather": 2 * LAYERS + 1, "reduce-scatter": LAYERS + 1, "all-reduce": LAYERS + 1
        }
        assert steps[FSDP].counts == {"all-gather": 2 * LAYERS + 1, "reduce-scatter": LAYERS + 1, "all-reduce": 0}


def bf16_states() -> set[torch.dtype]:
    """The types of AdamW's state for a model that was loaded as bf16 checkpoints are."""
    model = tiny_model(torch.bfloat16)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    model(input_ids=torch.ones(1, 4, dtype=torch.long), labels=torch.ones(1, 4, dtype=torch.long)).loss.backward()
    optimizer.step()
    return {state["exp_avg"].dtype for state in optimizer.state.values()}


def test_a_model_loaded_in_bf16_has_bf16_state() -> None:
    assert on_ranks(bf16_states, 2) == [{torch.bfloat16}] * 2
