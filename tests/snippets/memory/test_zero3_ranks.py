"""Sharding over N ranks leaves each with one N-th of weights, gradients and optimizer state."""

import math

import pytest
import torch
import torch.distributed as dist
from torch.distributed.tensor.debug import CommDebugMode
from transformers import BertConfig, BertForMaskedLM, PreTrainedModel

from snippets.memory import zero3_ranks as snippet

pytestmark = pytest.mark.needs(device="cpu")


def bert(vocabulary: int = 512) -> PreTrainedModel:
    sizes = {"hidden_size": 64, "intermediate_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2}
    return BertForMaskedLM(BertConfig(vocab_size=vocabulary, max_position_embeddings=64, **sizes))


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_rank_holds_its_share_and_no_process_group_is_left(ranks: int) -> None:
    held = snippet.bytes_on_rank(bert, ranks)
    assert held == {"weights": 4 / ranks, "gradients": 4 / ranks, "optimizer": 8 / ranks}
    assert not dist.is_initialized()


def test_every_layer_is_gathered_by_itself() -> None:
    with CommDebugMode() as sent:
        snippet.bytes_on_rank(bert, ranks=2)
    layers = bert().config.num_hidden_layers
    # Each for the forward and for the backward pass; what is in no layer stays gathered between them.
    assert sent.get_comm_counts()[torch.ops.c10d._allgather_base_] == 2 * layers + 1


def test_a_first_dimension_that_does_not_divide_is_rounded_up_on_rank_0() -> None:
    build, ranks = lambda: bert(vocabulary=513), 8
    parameters = dict(build().named_parameters())
    numbers = sum(math.ceil(len(p) / ranks) * p[0].numel() for p in parameters.values())
    assert snippet.bytes_on_rank(build, ranks)["weights"] == 4 * numbers / sum(p.numel() for p in parameters.values())
