"""8-bit AdamW: both moments as one byte a weight, with one scale for every 256 weights."""

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
        optim="adamw_8bit",
    )
    # --8<-- [end:trainer]
    return args


def optimizer_for(model: nn.Module) -> torch.optim.Optimizer:
    # --8<-- [start:loop]
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    # Biases and normalization weights get no weight decay.
    vectors = [p for p in model.parameters() if p.dim() < 2]

    optimizer = bnb.optim.AdamW8bit(
        [
            {"params": matrices, "weight_decay": 0.01},
            {"params": vectors, "weight_decay": 0.0},
        ],
        lr=1e-3,
    )
    # --8<-- [end:loop]
    return optimizer


def with_own_optimizer(model: nn.Module, output_dir: str) -> Trainer:
    dataset = tiny_dataset()
    args = TrainingArguments(output_dir=output_dir, per_device_train_batch_size=4)
    optimizer = optimizer_for(model)
    # --8<-- [start:own_optimizer]
    trainer = Trainer(
        model, args, train_dataset=dataset, optimizers=(optimizer, None)
    )
    # --8<-- [end:own_optimizer]
    return trainer


def matrix_state(rows: int, columns: int) -> float:
    """Measured bytes of state a parameter for one matrix; the two tables of 256 values that all weights share count."""
    weight = nn.Parameter(torch.ones(rows, columns, device=device()))
    weight.grad = torch.ones_like(weight)
    optimizer = bnb.optim.AdamW8bit([weight], lr=1e-3)
    optimizer.step()
    return state_bytes_per_parameter(optimizer)


def main() -> None:
    # Before Trainer runs: it has bitsandbytes keep the embedding in fp32, and bitsandbytes 0.50 goes by the
    # parameter's position, so that the first parameter of every later optimizer is kept in fp32 as well.
    for rows, columns in [(1024, 1024), (32, 32)]:
        print(f"A {rows} x {columns} matrix: {matrix_state(rows, columns):.4f} bytes of state a parameter")
    model = tiny_model()
    with TemporaryDirectory() as output_dir:
        trainer = run(Trainer(model, training_arguments(output_dir), train_dataset=tiny_dataset()))
    optimizer = trainer.optimizer.optimizer
    print(f"Trainer, a linear layer: {optimizer.state[model.lm_head.weight]['state1'].dtype}")
    print(f"Trainer, the embedding:  {optimizer.state[model.get_input_embeddings().weight]['state1'].dtype}")
    print(f"Trainer, the whole model: {state_bytes_per_parameter(optimizer):.4f} bytes of state a parameter")


if __name__ == "__main__":
    main()
