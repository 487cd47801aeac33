"""Paged 8-bit AdamW: state that moves to the host's memory when the GPU's runs out."""

import warnings
from tempfile import TemporaryDirectory

# --8<-- [start:imports]
import bitsandbytes as bnb

# --8<-- [end:imports]
import torch
from torch import nn
from transformers import Trainer, TrainingArguments

from _tiny import device, run, state_bytes_per_parameter, tiny_dataset, tiny_model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        optim="paged_adamw_8bit",
    )
    # --8<-- [end:trainer]
    return args


def step_once(model: nn.Module) -> torch.optim.Optimizer:
    """The optimizer after one step of a model whose gradients are ones."""
    # --8<-- [start:loop]
    # Pages states of 100 000 values and more, on a GPU.
    optimizer = bnb.optim.PagedAdamW8bit(model.parameters(), lr=1e-3)
    # --8<-- [end:loop]
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    return optimizer


def is_paged(optimizer: torch.optim.Optimizer, weight: nn.Parameter) -> bool:
    """Whether the weight's first moment is in memory that CUDA moves by pages."""
    return getattr(optimizer.state[weight]["state1"], "is_paged", False)


def main() -> None:
    matrix = nn.Linear(1024, 1024, bias=False, device=device())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        optimizer = step_once(matrix)
    print(f"A 1024 x 1024 matrix: {state_bytes_per_parameter(optimizer):.4f} bytes of state a parameter")
    print(f"On {device().type} the state is paged: {is_paged(optimizer, matrix.weight)}")
    for warning in caught:
        if "Paged" in str(warning.message):
            print(f"bitsandbytes says: {warning.message}")
    model = tiny_model()
    with TemporaryDirectory() as output_dir:
        trainer = run(Trainer(model, training_arguments(output_dir), train_dataset=tiny_dataset()))
    optimizer = trainer.optimizer.optimizer
    print(f"Trainer's optimizer is told to page: {optimizer.is_paged}")
    print(f"Trainer, a linear layer: {optimizer.state[model.lm_head.weight]['state1'].dtype}")


if __name__ == "__main__":
    main()
