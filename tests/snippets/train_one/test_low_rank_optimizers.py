"""The moments of linear layers have the rank's size; GaLore changes weights in that rank, APOLLO in all of it."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel, Trainer

from snippets.train_one import low_rank_optimizers as snippet

from _tiny import state_bytes, tiny_dataset, tiny_model

OPTIMS = ["galore_adamw", "apollo_adamw"]


@pytest.fixture(scope="module", params=OPTIMS)
def trained(request: pytest.FixtureRequest) -> tuple[nn.Module, torch.optim.Optimizer]:
    return snippet.train(request.param)


def test_linear_layers_keep_moments_of_the_rank_and_the_others_whole_ones(
    trained: tuple[nn.Module, torch.optim.Optimizer],
) -> None:
    model, optimizer = trained
    linear = [module.weight for module in model.modules() if isinstance(module, nn.Linear)]
    numbers = {id(weight) for weight in linear}
    others = sum(8 * p.numel() for p in model.parameters() if id(p) not in numbers)
    assert len(linear) == 4 * 7 + 1
    assert state_bytes(optimizer) == sum(snippet.moment_bytes(weight.shape) for weight in linear) + others
    for weight in linear:
        assert optimizer.state[weight]["exp_avg"].numel() == snippet.RANK * max(weight.shape)


def test_a_projection_is_kept_beside_them(trained: tuple[nn.Module, torch.optim.Optimizer]) -> None:
    model, optimizer = trained
    shapes = [module.weight.shape for module in model.modules() if isinstance(module, nn.Linear)]
    assert snippet.projection_bytes(optimizer) == sum(4 * snippet.RANK * min(shape) for shape in shapes)


def test_galore_changes_a_weight_in_the_rank_and_apollo_in_more() -> None:
    galore, apollo = map(snippet.update_rank, OPTIMS)
    assert galore == snippet.RANK < apollo


@pytest.mark.parametrize("optim", OPTIMS)
@pytest.mark.claim("train_optimizers#low-rank", "transformers/trainer.py::Trainer._load_optimizer_and_scheduler")
def test_trainer_does_not_load_the_projections_of_a_checkpoint(tmp_path: Path, optim: str) -> None:
    args = replace(snippet.training_arguments(str(tmp_path)), optim=optim, max_steps=1, save_steps=1, report_to="none")
    Trainer(tiny_model(), args, train_dataset=tiny_dataset()).train()
    resumed = Trainer(tiny_model(), replace(args, max_steps=2), train_dataset=tiny_dataset())
    with pytest.raises(pickle.UnpicklingError, match="Projector"):
        resumed.train(resume_from_checkpoint=str(tmp_path / "checkpoint-1"))


@pytest.mark.parametrize("optim", OPTIMS)
@pytest.mark.claim("train_optimizers#low-rank", "transformers/trainer_optimizer.py::_get_galore_optimizer")
def test_trainer_does_not_pass_the_weight_decay_on(tmp_path: Path, optim: str) -> None:
    args = replace(snippet.training_arguments(str(tmp_path)), optim=optim, weight_decay=0.1, adam_beta2=0.95)
    groups = Trainer(tiny_model(), args, train_dataset=tiny_dataset()).create_optimizer().param_groups
    assert {group["weight_decay"] for group in groups} == {0.0}
    assert {group["betas"][1] for group in groups} == ({0.999} if "galore" in optim else {0.999, 0.95})


@pytest.mark.parametrize("optim", OPTIMS)
@pytest.mark.claim("train_optimizers#low-rank", "transformers/trainer_optimizer.py::_setup_low_rank_optimizer")
def test_nothing_of_gpt_2_is_projected(tmp_path: Path, optim: str) -> None:
    """Its layers are no `nn.Linear`, and its output layer is the embedding."""
    gpt2 = GPT2LMHeadModel(GPT2Config(vocab_size=256, n_embd=64, n_layer=1, n_head=4))
    args = replace(snippet.training_arguments(str(tmp_path)), optim=optim)

    def projected(model: nn.Module) -> int:
        groups = Trainer(model, args, train_dataset=tiny_dataset()).create_optimizer().param_groups
        return sum(len(group["params"]) for group in groups if "rank" in group)

    assert projected(gpt2) == 0
    assert projected(tiny_model()) == 4 * 7 + 1
