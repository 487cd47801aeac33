"""The program trains as one process does, however the model is split, clips by one norm and saves all weights."""

import sys
from functools import partial
from pathlib import Path

import pytest
import torch
from _train_many import gradients, on_ranks, relative_difference, tiny_checkpoint, tiny_model, tokens
from torch import nn
from transformers import AutoModelForCausalLM, PreTrainedModel
from transformers.distributed import DistributedConfig

from snippets.train_many import whole_program as snippet

pytestmark = pytest.mark.needs(devices=4)
SAME = 1e-5


def weights_of(folder: Path) -> dict[str, torch.Tensor]:
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).state_dict()


@pytest.mark.parametrize("name", snippet.SETUPS)
def test_the_saved_weights_are_those_that_one_process_trains(name: str, tmp_path: Path) -> None:
    save, sizes = snippet.SETUPS[name]
    ranks = snippet.run(tmp_path / "many", save, **sizes)
    # One process takes as many samples in a step as all ranks together.
    snippet.run(tmp_path / "one", save, batch_size=8 * sizes.get("fsdp_size", 1))
    many, one, before = (weights_of(tmp_path / each) for each in ("many/out", "one/out", "one/checkpoint"))
    assert relative_difference(many, one) < relative_difference(before, one) / 10
    (losses, _), *others = ranks
    assert losses[-1] < losses[0] - 0.2
    assert [printed for printed, _ in others] == [[]] * len(others)
    for _, held in ranks:
        assert held == pytest.approx(1 / len(ranks), rel=0.02)


def load(checkpoint: str, **sizes: int) -> PreTrainedModel:
    config = DistributedConfig(**sizes)
    return AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32, distributed_config=config)


LIMIT = 0.5


def clipped() -> list[tuple[float, float]]:
    """The relative differences of the norm and of the clipped gradients from those of one process."""
    rows, one, seen = tokens(rows=8), tiny_model(), []
    one(input_ids=rows, labels=rows).loss.backward()
    norm = nn.utils.clip_grad_norm_(one.parameters(), LIMIT)
    for sizes in ({"tp_size": 4}, {"tp_size": 2, "fsdp_size": 2}):
        with tiny_checkpoint(tiny_model()) as checkpoint:
            model = load(checkpoint, **sizes)
        model(input_ids=rows, labels=rows).loss.backward()
        ours = snippet.clip(model, LIMIT)
        seen.append((abs(ours / norm - 1).item(), relative_difference(gradients(model), gradients(one))))
    return seen


def test_gradients_are_clipped_by_the_norm_of_all_tensors() -> None:
    for seen in on_ranks(clipped, 4):
        for of_norm, of_gradients in seen:
            assert of_norm < SAME
            assert of_gradients < SAME


def test_texts_are_joined_and_cut_into_samples_of_one_length() -> None:
    class Letters:
        eos_token_id = 0

        def __call__(self, text: str) -> dict[str, list[int]]:
            return {"input_ids": [ord(letter) - 96 for letter in text]}

    samples = snippet.samples_of(["abc", "de", "fgh"], Letters(), length=3)
    assert samples.tolist() == [[1, 2, 3], [0, 4, 5], [0, 6, 7]]


def start(folder: str) -> None:
    """What torchrun runs on each rank: the program with its arguments."""
    paths = [f"{folder}/{name}" for name in ("checkpoint", "texts.txt", "out")]
    sys.argv = ["train.py", *paths, "tp_size=2", "length=32"]
    snippet.main()


def test_the_arguments_of_the_command_are_those_of_the_training(tmp_path: Path) -> None:
    snippet.save_checkpoint(tmp_path / "checkpoint")
    (tmp_path / "texts.txt").write_text("\n".join(snippet.TEXTS))
    on_ranks(partial(start, str(tmp_path)), 2)
    after, before = weights_of(tmp_path / "out"), weights_of(tmp_path / "checkpoint")
    assert after.keys() == before.keys()
    assert relative_difference(after, before) > 0
