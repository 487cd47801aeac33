"""Every rank holds half of the experts, tokens are exchanged twice a layer and pass, and the gradients are equal."""

from unittest.mock import patch

import pytest
import torch.distributed as dist
from _train_many import on_ranks, relative_difference, tiny_checkpoint, tokens, whole
from transformers.distributed import DistributedConfig

from snippets.train_many import expert_parallel as snippet
from snippets.train_many import fsdp
from snippets.train_many.expert_parallel import Step

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the gradients agree to six digits or so.
SAME = 1e-5
LAYERS = 2


@pytest.fixture(scope="module")
def ranks() -> list[Step]:
    return on_ranks(snippet.step, snippet.PROCESSES)


def step_in_fp32() -> float:
    """The difference from one process without mixed precision."""
    fp32 = lambda **sizes: DistributedConfig(**sizes | {"fsdp_mixed_precision": False})  # noqa: E731
    with patch.object(snippet, "DistributedConfig", fp32):
        return snippet.step().difference


def test_the_gradients_are_those_of_one_process_with_all_rows(ranks: list[Step]) -> None:
    assert [1e-4 < step.difference < 0.05 for step in ranks] == [True] * snippet.PROCESSES
    assert [difference < SAME for difference in on_ranks(step_in_fp32, 2)] == [True] * snippet.PROCESSES


def trained_weights() -> tuple[float, float]:
    """How far two steps of FSDP's loop are from those of one process, and from the weights before them."""
    batch = tokens(rows=8)
    with tiny_checkpoint(snippet.tiny_mixtral()) as checkpoint:
        model = snippet.load_experts(checkpoint)
    fsdp.train_with_fsdp(model, [batch[dist.get_rank() :: 2]] * 2)
    one, before = snippet.tiny_mixtral(), snippet.tiny_mixtral()
    fsdp.train_with_fsdp(one, [batch] * 2)
    ours = {name: whole(weight) for name, weight in model.named_parameters()}
    return tuple(relative_difference(ours, dict(other.named_parameters())) for other in (one, before))


def test_the_loop_for_fsdp_trains_the_experts() -> None:
    for from_one, from_before in on_ranks(trained_weights, 2):
        assert from_one < from_before / 5


def test_a_rank_holds_two_of_four_experts(ranks: list[Step]) -> None:
    for step in ranks:
        assert len(step.experts) == 2 * LAYERS
        assert set(step.experts.values()) == {2}


def test_tokens_go_to_their_experts_and_back_in_each_pass(ranks: list[Step]) -> None:
    for step in ranks:
        assert step.exchanges == 2 * 2 * LAYERS
