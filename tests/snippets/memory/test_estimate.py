"""The estimate is that of the parts it adds up: their sum, what each method changes, and what several GPUs divide."""

import dataclasses
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import nn
from transformers import Trainer, TrainingArguments

from snippets.memory import compare
from snippets.memory import estimate as snippet
from snippets.memory.estimate import MODELS, Shape

SMALL = Shape(1000, 64, 160, 3, 4, 2, 16)


@pytest.mark.parametrize("shape", [*MODELS.values(), SMALL])
def test_the_parameters_are_those_of_the_model(shape: Shape) -> None:
    with torch.device("meta"):
        model = compare.decoder(shape, torch.float32)
    assert snippet.parameters(shape) == sum(each.numel() for each in model.parameters())


@pytest.mark.parametrize("precision", ["fp32", "mixed", "bf16"])
def test_a_large_vocabulary_has_its_peak_in_the_loss(precision: str) -> None:
    step = (dataclasses.replace(SMALL, vocabulary=50_000, kv_heads=4), 8, 512, precision)
    instant, held = snippet.training(*step)
    assert instant == "loss"
    assert sum(held.values()) == pytest.approx(sum(compare.simulated_training(*step).values()), rel=1e-3)


@pytest.mark.claim("will_it_fit#formulas", "torch/amp/autocast_mode.py::autocast.__exit__")
@pytest.mark.parametrize("quantized", [False, True])
def test_large_adapters_have_their_peak_where_autocast_still_holds_their_copies(quantized: bool) -> None:
    shape, step = Shape(10_000, 256, 640, 6, 4, 2, 64), {"rank": 256, "quantized": quantized, "checkpointing": True}
    instant, estimated = snippet.training_of_adapters(shape, 2, 256, optimizer="sgd", **step)
    assert instant == "logits"
    simulated = compare.simulated_adapters(shape, 2, 256, optimizer="sgd", **step)
    assert abs(compare.relative_error(estimated, simulated)) < 0.01


@pytest.mark.parametrize("shape", [*snippet.ENCODERS.values(), snippet.Encoder(1000, 64, 160, 3, 4, 128)])
def test_the_parameters_of_an_encoder_are_those_of_the_model(shape: snippet.Encoder) -> None:
    with torch.device("meta"):
        model = compare.encoder(shape, torch.float32)
    assert snippet.encoder_parameters(shape) == sum(each.numel() for each in model.parameters())


@pytest.mark.parametrize("rank", [8, 64])
def test_the_adapters_are_those_of_peft(rank: int) -> None:
    shape = MODELS["Llama 3.2 1B"]
    model = compare.adapted(partial(compare.decoder, shape), rank, quantized=False, checkpointing=False)
    trained = model.get_nb_trainable_parameters()[0]
    assert trained == shape.layers * sum(rows * columns for rows, columns in snippet.adapter(shape, rank))


@pytest.mark.parametrize(("rows", "columns"), [(640, 64), (1400, 512), (50, 70)])
def test_nf4_is_stored_as_bitsandbytes_does(rows: int, columns: int) -> None:
    import bitsandbytes as bnb

    zeros = torch.zeros(rows, columns)
    numbers, state = bnb.functional.quantize_4bit(zeros, compress_statistics=True, quant_type="nf4")
    assert numbers.nbytes + state.absmax.nbytes + state.state2.absmax.nbytes == snippet.nf4(rows, columns)


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
    _, held = snippet.training(SMALL, 8, 512, "bf16", accumulation=True)
    assert held["gradients"] == 2 * snippet.parameters(SMALL)
    assert snippet.training(SMALL, 8, 512, "bf16")[1]["gradients"] == 0


def test_ranks_share_what_does_not_depend_on_the_batch() -> None:
    shape = MODELS["Llama 3.1 70B"]
    instant, held = snippet.training(shape, 1, 2048, "mixed", checkpointing=True, ranks=64)
    everything = snippet.parameters(shape)
    assert held["weights"] == 4 * everything / 64 and held["optimizer"] == 8 * everything / 64
    # On one GPU the peak comes when all gradients exist; on 64 they are small, and what is whole is not.
    assert snippet.training(shape, 1, 2048, "mixed", checkpointing=True)[0] == "embedding"
    tables = sum(rows * columns for rows, columns in shape.tables())
    assert instant == "layer" and held["workspace"] > 2 * tables
    _, more = snippet.training(shape, 1, 2048, "mixed", checkpointing=True, ranks=1024)
    assert more["workspace"] == held["workspace"]


def test_a_rank_holds_a_whole_head_of_the_cache() -> None:
    held = snippet.inference(SMALL, 1, 1024, cache_bits=8)
    assert snippet.split(held, SMALL, 4)["cache"] == held["cache"] / 2 == 3 * 2 * 16 * 1024
    assert snippet.split(held, SMALL, 4)["weights"] == held["weights"] / 4


@pytest.mark.claim("will_it_fit#fields", "transformers/trainer.py::Trainer.create_optimizer")
@pytest.mark.parametrize("tied", [False, True])
def test_trainer_keeps_the_state_of_embeddings_in_fp32(tied: bool, tmp_path: Path) -> None:
    shape = dataclasses.replace(SMALL, tied=tied)
    model = compare.decoder(shape, torch.float32)
    row = {"input_ids": list(range(8)), "labels": list(range(8))}
    args = TrainingArguments(str(tmp_path), optim="adamw_8bit", max_steps=1, use_cpu=True, save_strategy="no")
    trainer = Trainer(model, args, train_dataset=[row])
    trainer.train()
    state = trainer.optimizer.optimizer.state[model.model.embed_tokens.weight]
    assert state["state1"].dtype == torch.float32
    if not tied:
        assert trainer.optimizer.optimizer.state[model.lm_head.weight]["state1"].dtype == torch.uint8
    kept = sum(each.nbytes for one in trainer.optimizer.optimizer.state.values()
               for name, each in one.items() if name in {"state1", "state2", "absmax1", "absmax2"})
    assert snippet.optimizer_bytes(shape, "adamw-8bit", 4) == kept


def test_a_model_with_grouped_heads_stores_matrices_where_there_is_no_flash_kernel() -> None:
    """In fp32 on every GPU, and before Ampere in every type; a model whose heads have their own keys does not."""
    whole = dataclasses.replace(SMALL, kv_heads=SMALL.heads)
    assert [snippet.fused(SMALL, precision) for precision in ("fp32", "bf16", "mixed")] == [False, True, True]
    assert not snippet.fused(SMALL, "bf16", flash=False) and snippet.fused(whole, "fp32", flash=False)
    matrix = 4 * SMALL.heads * 1024**2
    kept = [sum(snippet.training(SMALL, 1, 1024, "bf16", flash=flash)[1].values()) for flash in (False, True)]
    assert kept[0] - kept[1] > SMALL.layers * matrix
    read = [sum(snippet.inference(SMALL, 1, 1024, flash=flash).values()) for flash in (False, True)]
    assert read[0] - read[1] > 2 * matrix
