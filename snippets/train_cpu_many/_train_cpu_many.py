"""The tiny model, the tiny data and the short training run that the snippets of this folder share."""

import os
import sys
from pathlib import Path

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, PrinterCallback, ProgressCallback, Trainer, TrainerCallback

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _gradients import gradient_norm
from _gradients import single_process_norm as single_process_norm
from _training import VOCABULARY
from _training import tiny_dataset as tiny_dataset

os.environ.setdefault("DS_ACCELERATOR", "cpu")  # Where DeepSpeed is installed it prints a guess otherwise.


def tiny_model() -> LlamaForCausalLM:
    """A Llama of about 180 000 random weights with grouped heads, the same at every call and on every rank."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4}
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, **sizes, **heads))


class FirstStep(TrainerCallback):
    """Keeps the norm of the gradients that Trainer hands to the optimizer first."""

    def on_pre_optimizer_step(self, *args: object, model: nn.Module, **kwargs: object) -> None:
        self.norm = gradient_norm(model)


def run(trainer: Trainer) -> float:
    """Train for one step without clipping, log and checkpoints; the norm of the gradients."""
    step = FirstStep()
    trainer.add_callback(step)
    trainer.remove_callback(PrinterCallback)
    trainer.remove_callback(ProgressCallback)
    trainer.args.max_steps, trainer.args.max_grad_norm = 1, 0
    trainer.args.set_save(strategy="no")
    trainer.train()
    return step.norm
