"""The estimate is that of the parts it adds up: their sum, what each method changes, and what several GPUs divide."""

import pytest
import torch
from torch import nn

from snippets.memory import compare
from snippets.memory import estimate as snippet
from snippets.memory.estimate import MODELS, Shape

SMALL = Shape(1000, 64, 160, 3, 4, 2, 16)


@pytest.mark.parametrize("shape", [*MODELS.values(), SMALL])
def test_the_parameters_are_those_of_the_model(shape: Shape) -> None:
    with torch.device("meta"):
        model = compare.decoder(shape, torch.float32)
    assert snippet.parameters(shape) == sum(each.numel() for each in model.parameters())


def test_eight_bit_layers_are_stored_with_their_scales() -> None:
    assert snippet.stored(10, 640, 16) == 12_800
    assert snippet.stored(10, 640, 8) == 6400 + 4 * 10
    assert snippet.stored(10, 640, 4) == 3200 + 4 * 100


def test_four_bits_are_those_of_bitsandbytes() -> None:
    import bitsandbytes as bnb

    layer = bnb.nn.Linear4bit(640, 64, bias=False, quant_type="nf4", compress_statistics=False)
    layer.load_state_dict(nn.Linear(640, 64, bias=False).state_dict())
    layer = layer.to("cpu")
    stored = layer.weight.nbytes + layer.weight.quant_state.absmax.nbytes
    assert stored == snippet.stored(64, 640, 4)


def test_accumulation_keeps_all_gradients() -> None:
    _, held = snippet.training(SMALL, 8, 512, accumulation=True)
    assert held["gradients"] == 4 * snippet.parameters(SMALL)
    assert snippet.training(SMALL, 8, 512)[1]["gradients"] == 0


def test_ranks_share_what_does_not_depend_on_the_batch() -> None:
    shape = MODELS["Llama 3.1 70B"]
    instant, held = snippet.training(shape, 1, 2048, "mixed", checkpointing=True, ranks=64)
    everything = snippet.parameters(shape)
    assert held["weights"] == 4 * everything / 64 and held["optimizer"] == 8 * everything / 64
    # On one GPU the peak comes when all gradients exist; on 64 they are small.
    assert snippet.training(shape, 1, 2048, "mixed", checkpointing=True)[0] == "embedding"
    assert instant == "loss" and held["gradients"] == 0


def test_a_rank_holds_a_whole_head_of_the_cache() -> None:
    held = snippet.inference(SMALL, 1, 1024, cache_bits=8)
    assert snippet.split(held, SMALL, 4)["cache"] == held["cache"] / 2 == 3 * 2 * 16 * 1024
    assert snippet.split(held, SMALL, 4)["weights"] == held["weights"] / 4
