"""8-bit AdamW keeps two bytes and a share of a scale for each weight, decays matrices only, and still learns."""

from pathlib import Path

import bitsandbytes as bnb
import pytest
import torch
from transformers import Trainer

from snippets.train_one import adam_8bit as snippet

from _tiny import run, tiny_batch, tiny_dataset, tiny_model

TABLES = 2 * 256 * 4  # bytes of the two tables that all weights share


def test_a_matrix_takes_a_byte_a_moment_and_a_scale_for_256_weights() -> None:
    assert snippet.matrix_state(1024, 1024) == 2 * (1 + 4 / 256) + TABLES / 1024**2


def test_a_small_matrix_stays_in_fp32() -> None:
    assert snippet.matrix_state(32, 32) == 8


def test_trainer_quantizes_linear_layers_and_not_the_embedding(tmp_path: Path) -> None:
    model = tiny_model()
    args = snippet.training_arguments(str(tmp_path))
    trainer = run(Trainer(model, args, train_dataset=tiny_dataset()))
    state = trainer.optimizer.optimizer.state
    for moment in ("state1", "state2"):
        assert state[model.lm_head.weight][moment].dtype == torch.uint8
        assert state[model.get_input_embeddings().weight][moment].dtype == torch.float32


def test_the_own_optimizer_is_the_one_that_trainer_steps(tmp_path: Path) -> None:
    model = tiny_model()
    trainer = snippet.with_own_optimizer(model, str(tmp_path))
    optimizer = trainer.optimizer
    steps = []
    optimizer.register_step_post_hook(lambda *_: steps.append(1))
    run(trainer)
    assert isinstance(optimizer, bnb.optim.AdamW8bit)
    assert len(steps) == 2
    assert optimizer.state[model.lm_head.weight]["state1"].dtype == torch.uint8


def test_weight_decay_shrinks_matrices_and_leaves_vectors() -> None:
    model = tiny_model()
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    optimizer = snippet.optimizer_for(model)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)  # Without a gradient only the decay moves a weight.
    optimizer.step()
    changed = {name for name, parameter in model.named_parameters() if not torch.equal(parameter, before[name])}
    assert changed == {name for name, parameter in model.named_parameters() if parameter.dim() >= 2}
    assert any(parameter.dim() < 2 for parameter in model.parameters())


def test_the_loss_falls_about_as_far_as_with_32_bits() -> None:
    def last_loss(make: type[torch.optim.Optimizer]) -> float:
        model, batch = tiny_model(), tiny_batch()
        optimizer = make(model.parameters(), lr=1e-3)
        for _ in range(20):
            optimizer.zero_grad()
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
        return loss.item()

    plain = last_loss(torch.optim.AdamW)
    assert plain < 5.0
    assert last_loss(bnb.optim.AdamW8bit) == pytest.approx(plain, rel=0.05)
