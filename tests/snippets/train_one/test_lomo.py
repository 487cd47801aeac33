"""LOMO takes the step of SGD, keeps no state, and never holds more than one gradient."""

from pathlib import Path

import pytest
import torch
from lomo_optim import AdaLomo, Lomo
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


@pytest.mark.skipif(torch.cuda.is_available(), reason="shows what happens where there is no GPU")
def test_adalomo_needs_cuda() -> None:
    with pytest.raises(AssertionError, match="CUDA"):
        AdaLomo(tiny_model())
