"""LOMO takes the step of SGD, keeps no state, and never holds more than one gradient."""

from pathlib import Path

import pytest
import torch
from lomo_optim import Lomo
from torch import nn
from transformers import Trainer

from snippets.train_one import lomo as snippet

from _tiny import gradients, run, state_bytes, tiny_batch, tiny_dataset, tiny_model


def test_the_step_is_that_of_sgd() -> None:
    model, batch = tiny_model(), tiny_batch()
    model(**batch).loss.backward()
    expected = {name: p.detach() - 1e-2 * gradients(model)[name] for name, p in model.named_parameters()}
    fused = tiny_model()
    snippet.train(fused, [batch])
    for name, parameter in fused.named_parameters():
        torch.testing.assert_close(parameter.detach(), expected[name])


@pytest.mark.claim("train_optimizers#lomo", "lomo_optim/lomo.py::Lomo.grad_norm")
@pytest.mark.parametrize("max_norm", [1.0, None])
def test_a_loop_can_clip_with_a_second_backward_pass(max_norm: float | None) -> None:
    plain, fused, batch = tiny_model(), tiny_model(), tiny_batch()
    plain(**batch).loss.backward()
    assert nn.utils.clip_grad_norm_(plain.parameters(), max_norm or float("inf")) > 1.5
    expected = {name: p.detach() - 0.5 * gradients(plain)[name] for name, p in plain.named_parameters()}
    optimizer = Lomo(fused, lr=0.5, clip_grad_norm=max_norm)
    loss = fused(**batch).loss
    if max_norm:
        optimizer.grad_norm(loss)
    optimizer.fused_backward(loss, 0.5)
    for name, parameter in fused.named_parameters():
        torch.testing.assert_close(parameter.detach(), expected[name])


def test_one_gradient_at_a_time_is_held() -> None:
    plain, fused = tiny_model(), tiny_model()
    plain_held, fused_held = snippet.watch_gradients(plain), snippet.watch_gradients(fused)
    plain(**tiny_batch()).loss.backward()
    snippet.train(fused, [tiny_batch()])
    sizes = [parameter.nbytes for parameter in fused.parameters()]
    assert max(plain_held) == sum(sizes)
    assert max(fused_held) == max(sizes)
    assert all(parameter.grad is None for parameter in fused.parameters())


def test_trainer_keeps_no_state_and_still_learns(tmp_path: Path) -> None:
    args = snippet.training_arguments(str(tmp_path))
    args.learning_rate = 0.5
    trainer = run(Trainer(tiny_model(), args, train_dataset=tiny_dataset()), steps=10)
    optimizer = trainer.optimizer.optimizer
    assert isinstance(optimizer, Lomo)
    assert state_bytes(optimizer) == 0
    assert trainer.model(**tiny_batch()).loss < tiny_model()(**tiny_batch()).loss - 0.2


@pytest.mark.claim("train_optimizers#lomo", "lomo_optim/lomo.py::Lomo.__init__")
def test_its_hooks_stay_on_the_model_and_make_every_backward_pass_a_step() -> None:
    model = tiny_model()
    snippet.train(model, [tiny_batch()])
    weight = model.model.layers[0].mlp.up_proj.weight
    before = weight.detach().clone()
    model(**tiny_batch()).loss.backward()
    assert weight.grad is None
    assert not torch.equal(weight, before)


def test_a_scaled_loss_gives_scaled_updates() -> None:
    changes = []
    for scale in (1, 2**10):
        model = tiny_model()
        Lomo(model, lr=1e-4)
        before = model.lm_head.weight.detach().clone()
        (scale * model(**tiny_batch()).loss).backward()
        changes.append((model.lm_head.weight - before).norm().item())
    assert changes[1] == pytest.approx(2**10 * changes[0], rel=1e-2)


@pytest.mark.claim("train_optimizers#lomo", "accelerate/accelerator.py::Accelerator.backward")
def test_with_the_scaler_of_fp16_trainer_raises_an_error(tmp_path: Path) -> None:
    trainer = Trainer(tiny_model(), snippet.training_arguments(str(tmp_path)), train_dataset=tiny_dataset())
    trainer.accelerator.scaler = torch.amp.GradScaler(trainer.args.device.type)
    with pytest.raises(TypeError, match="unexpected keyword argument 'learning_rate'"):
        run(trainer, steps=1)
