"""torchao's AdamW: moments of 8 or 4 bits, in plain PyTorch, wherever torch.compile runs."""

from tempfile import TemporaryDirectory

import torch
from torch import nn

# --8<-- [start:imports]
from torchao.optim import AdamW4bit, AdamW8bit

# --8<-- [end:imports]
from transformers import Trainer, TrainingArguments

from _tiny import device, run, state_bytes_per_parameter, tiny_dataset, tiny_model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        optim="adamw_torch_4bit",  # or "adamw_torch_8bit"
    )
    # --8<-- [end:trainer]
    return args


def optimizers(model: nn.Module) -> dict[int, torch.optim.Optimizer]:
    # --8<-- [start:loop]
    # One scale for each block of values, 256 as in Trainer.
    eight = AdamW8bit(model.parameters(), lr=1e-3, block_size=256)
    # Without block_size=, AdamW4bit takes blocks of 128.
    four = AdamW4bit(model.parameters(), lr=1e-3, block_size=256)
    # --8<-- [end:loop]
    return {8: eight, 4: four}


def matrix_state(bits: int, rows: int, columns: int) -> float:
    """Measured bytes of state a parameter for one matrix; the tables that all weights share count."""
    matrix = nn.Linear(columns, rows, bias=False, device=device())
    optimizer = optimizers(matrix)[bits]
    matrix.weight.grad = torch.ones_like(matrix.weight)
    with torch.compiler.set_stance("force_eager"):  # The same numbers, without a compiler.
        optimizer.step()
    return state_bytes_per_parameter(optimizer)


def main() -> None:
    for bits in (8, 4):
        print(f"A 1024 x 1024 matrix, {bits} bits: {matrix_state(bits, 1024, 1024):.4f} bytes of state a parameter")
    print(f"A 32 x 32 matrix, 4 bits: {matrix_state(4, 32, 32):.4f} bytes of state a parameter")
    model = tiny_model()
    with TemporaryDirectory() as output_dir, torch.compiler.set_stance("force_eager"):
        trainer = run(Trainer(model, training_arguments(output_dir), train_dataset=tiny_dataset()))
    optimizer = trainer.optimizer.optimizer
    moment = optimizer.state[model.lm_head.weight]["exp_avg"]
    print(f"Trainer, a linear layer: {type(moment).__name__}, blocks of {moment.block_size}")
    print(f"Trainer, the whole model: {state_bytes_per_parameter(optimizer):.4f} bytes of state a parameter")


if __name__ == "__main__":
    main()
