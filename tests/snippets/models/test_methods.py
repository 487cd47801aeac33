"""What a method's function does is what the library does, where the function stands in for it."""

from pathlib import Path

import pytest
from _building import build
from _comparison import difference_of, gradients, labelled, loss_of
from _try_training import try_accumulation
from transformers import Trainer, TrainerCallback, TrainingArguments


class GradientRecorder(TrainerCallback):
    """Keeps the gradients that Trainer is about to hand to the optimizer."""

    def on_pre_optimizer_step(self, *arguments: object, model: object, **options: object) -> None:
        self.gradients = gradients(model)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["llama", "gpt2", "t5"])  # Right; counts tokens too many; reads no count.
def test_accumulation_is_that_of_trainer(model_type: str, tmp_path: Path) -> None:
    subject = build(model_type)
    inputs = labelled(subject)
    loss_of(subject, inputs).backward()
    plain = gradients(subject.model)
    subject.model.zero_grad()
    rows = [{name: tensor[number] for name, tensor in inputs.items()} for number in range(2)]
    options = {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 2, "max_steps": 1, "use_cpu": True}
    recorder = GradientRecorder()
    arguments = TrainingArguments(str(tmp_path), report_to=[], max_grad_norm=0, **options)
    Trainer(subject.model, arguments, train_dataset=rows, callbacks=[recorder]).train()
    expected = difference_of(recorder.gradients, plain)
    assert try_accumulation(build(model_type)) == pytest.approx(expected, rel=1e-3, abs=1e-6)
