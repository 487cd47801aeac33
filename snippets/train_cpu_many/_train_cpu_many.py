"""The tiny model, the tiny data and the short training run that the snippets of this folder share."""

import os

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, PrinterCallback, ProgressCallback, Trainer, TrainerCallback

os.environ.setdefault("DS_ACCELERATOR", "cpu")  # Where DeepSpeed is installed it prints a guess otherwise.


def tiny_model() -> LlamaForCausalLM:
    """A Llama of about 180 000 random weights with grouped heads, the same at every call and on every rank."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4}
    return LlamaForCausalLM(LlamaConfig(vocab_size=256, **sizes, **heads))


def tiny_dataset(rows: int = 8, length: int = 16) -> list[dict[str, torch.Tensor]]:
    """Rows of `length` random token ids that are their own labels."""
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(256, (rows, length), generator=generator)
    return [{"input_ids": row, "labels": row} for row in tokens]


def gradient_norm(model: nn.Module) -> float:
    """The norm of all gradients together."""
    return nn.utils.get_total_norm([parameter.grad for parameter in model.parameters()]).item()


def single_process_norm() -> float:
    """The norm of the gradients of all rows, on one process in fp32."""
    model = tiny_model()
    rows = torch.stack([row["input_ids"] for row in tiny_dataset()])
    model(input_ids=rows, labels=rows).loss.backward()
    return gradient_norm(model)


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
