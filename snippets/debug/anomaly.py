"""Anomaly detection in a run of `Trainer`: which operation of the forward pass made the gradient that is nan."""

import copy
import sys
import warnings
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from transformers import LlamaConfig, LlamaForCausalLM, TrainingArguments

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _training import VOCABULARY, tiny_dataset

# isort: split
# --8<-- [start:imports]
import torch
from transformers import Trainer

# --8<-- [end:imports]


# --8<-- [start:detect]
# trainer.train(), stopped where a gradient becomes nan.
def train_detecting(trainer, checkpoint=None):
    with torch.autograd.detect_anomaly():
        trainer.train(resume_from_checkpoint=checkpoint)


# --8<-- [end:detect]


# --8<-- [start:distil]
# Adds the distance to a teacher's logits, at first a copy's.
class Distiller(Trainer):
    teacher = None

    def compute_loss(self, model, inputs, *args, **kwargs):
        with torch.no_grad():
            wanted = self.teacher(**inputs).logits
        outputs = model(**inputs)
        distance = (outputs.logits - wanted).square().sum().sqrt()
        return outputs.loss + distance


# --8<-- [end:distil]


def distiller(folder: str) -> Distiller:
    """A student that begins as a copy of its teacher: the distance is 0, and its square root has no gradient."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": VOCABULARY}
    model = LlamaForCausalLM(LlamaConfig(**sizes, num_attention_heads=4, num_key_value_heads=2))
    args = TrainingArguments(folder, max_steps=2, logging_steps=1, save_strategy="no", use_cpu=True,
                             disable_tqdm=True, report_to="none")
    trainer = Distiller(model, args, train_dataset=tiny_dataset())
    trainer.teacher = copy.deepcopy(model)
    return trainer


def logged(trainer: Trainer) -> list[tuple[float, float]]:
    """The loss and the norm of the gradients that `Trainer` logs in each step, without detection."""
    with redirect_stdout(StringIO()):
        trainer.train()
    return [(each["loss"], each["grad_norm"]) for each in trainer.state.log_history if "grad_norm" in each]


def detected(trainer: Trainer) -> tuple[str, str]:
    """The error under anomaly detection, and PyTorch's warning, which has the lines of the forward pass."""
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(StringIO()):
        warnings.simplefilter("always")
        try:
            train_detecting(trainer)
        except RuntimeError as error:
            said = [str(each.message) for each in caught if "Traceback of forward call" in str(each.message)]
            return str(error), said[-1]
    return "", ""


def main() -> None:
    with TemporaryDirectory() as folder:
        for step, (loss, norm) in enumerate(logged(distiller(folder)), 1):
            print(f"Step {step} without detection: loss {loss:.2f}, grad_norm {norm}")
        error, warning = detected(distiller(folder))
    print(f"With detection: {error}")
    print(f"In the forward pass: {next(line.strip() for line in warning.splitlines() if 'sqrt' in line)}")


if __name__ == "__main__":
    main()
