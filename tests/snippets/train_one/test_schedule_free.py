"""In evaluation the weights are the mean of all iterates, the learning rate stays, the state is AdamW's size."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from schedulefree import AdamWScheduleFree
from transformers import Trainer, TrainerCallback

from snippets.train_one import schedule_free as snippet

from _tiny import run, state_bytes_per_parameter, tiny_batch, tiny_dataset, tiny_model

STEPS = 5


def test_in_evaluation_a_weight_is_the_mean_of_its_iterates(monkeypatch: pytest.MonkeyPatch) -> None:
    iterates: list[torch.Tensor] = []
    model = tiny_model()
    step = AdamWScheduleFree.step

    def watched(optimizer: AdamWScheduleFree) -> None:
        step(optimizer)
        iterates.append(optimizer.state[model.lm_head.weight]["z"].clone())

    monkeypatch.setattr(AdamWScheduleFree, "step", watched)
    snippet.train(model, [tiny_batch()] * STEPS)
    assert len(iterates) == STEPS
    torch.testing.assert_close(model.lm_head.weight.detach(), torch.stack(iterates).mean(0), rtol=1e-4, atol=1e-6)
    assert not model.training


def test_the_state_takes_two_fp32_numbers_a_parameter() -> None:
    assert state_bytes_per_parameter(snippet.train(tiny_model(), [tiny_batch()])) == 8


def test_the_loss_falls() -> None:
    model, batch = tiny_model(), tiny_batch()
    snippet.train(model, [batch] * 20)
    assert model(**batch).loss < 4.5 < tiny_model()(**batch).loss


def test_a_step_in_evaluation_mode_is_refused() -> None:
    model = tiny_model()
    optimizer = snippet.train(model, [tiny_batch()])
    with pytest.raises(Exception, match="not in train mode"):
        optimizer.step()


def test_trainer_holds_the_learning_rate_and_ends_in_evaluation_mode(tmp_path: Path) -> None:
    args = snippet.training_arguments(str(tmp_path))
    trainer = run(Trainer(tiny_model(), args, train_dataset=tiny_dataset(), eval_dataset=tiny_dataset()))
    optimizer = trainer.optimizer.optimizer
    assert isinstance(optimizer, AdamWScheduleFree)
    assert optimizer.param_groups[0]["lr"] == args.learning_rate
    assert optimizer.param_groups[0]["train_mode"]
    trainer.evaluate()
    assert not optimizer.param_groups[0]["train_mode"]


@pytest.mark.claim("train_optimizers#schedule-free", "transformers/trainer.py::Trainer.save_model")
def test_trainer_saves_the_average_only_in_evaluation_mode(tmp_path: Path) -> None:
    trainer = run(Trainer(tiny_model(), snippet.training_arguments(str(tmp_path)), train_dataset=tiny_dataset()), 3)
    trained = trainer.model.lm_head.weight.detach().cpu().clone()
    for name, same in (("trained", True), ("average", False)):
        trainer.save_model(str(tmp_path / name))
        assert torch.equal(load_file(tmp_path / name / "model.safetensors")["lm_head.weight"], trained) == same
        trainer.optimizer.optimizer.eval()


@pytest.mark.parametrize(("warmup", "first"), [(0.25, 4.0), (4, 0.25)])
@pytest.mark.claim(
    "train_optimizers#schedule-free", "transformers/trainer_optimizer.py::_get_schedule_free_optimizer"
)
def test_a_warm_up_given_as_a_share_starts_with_a_multiple_of_the_learning_rate(
    warmup: float, first: float, tmp_path: Path
) -> None:
    rates: list[float] = []

    class Watch(TrainerCallback):
        def on_step_end(self, args, state, control, optimizer=None, **kwargs):
            rates.append(optimizer.optimizer.param_groups[0]["scheduled_lr"] / args.learning_rate)

    args = snippet.training_arguments(str(tmp_path))
    args.warmup_steps = warmup
    run(Trainer(tiny_model(), args, train_dataset=tiny_dataset(), callbacks=[Watch()]), steps=4)
    assert rates[0] == pytest.approx(first)
    assert rates[-1] == pytest.approx(1)
