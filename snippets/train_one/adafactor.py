"""Adafactor: row and column means in place of a number for every weight."""

from tempfile import TemporaryDirectory

import torch
from transformers import Adafactor, Trainer, TrainingArguments

from _tiny import run, state_bytes, state_bytes_per_parameter, tiny_dataset, tiny_model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        optim="adafactor",
    )
    # --8<-- [end:trainer]
    return args


# --8<-- [start:state]
# For a weight in fp32, without a first moment (arXiv:1804.04235).
def expected_state_bytes(shape):
    if len(shape) >= 2:
        rows, columns = shape[-2:]
        # One mean for every row and every column.
        numbers = shape[:-2].numel() * (rows + columns)
    else:
        # A vector keeps one for every weight.
        numbers = shape.numel()
    return 4 * numbers


# --8<-- [end:state]


def matrix_state(rows: int, columns: int) -> float:
    """Measured bytes of state a parameter for one matrix, with Trainer's settings."""
    weight = torch.nn.Parameter(torch.zeros(rows, columns))
    weight.grad = torch.ones_like(weight)
    optimizer = Adafactor([weight], lr=1e-3, scale_parameter=False, relative_step=False)
    optimizer.step()
    return state_bytes_per_parameter(optimizer)


def main() -> None:
    model = tiny_model()
    with TemporaryDirectory() as output_dir:
        trainer = run(Trainer(model, training_arguments(output_dir), train_dataset=tiny_dataset()))
    expected = sum(expected_state_bytes(parameter.shape) for parameter in model.parameters())
    measured = state_bytes(trainer.optimizer.optimizer)
    print(f"Trainer, the tiny model: {measured:,} bytes of state, {expected:,} expected")
    for rows, columns in [(64, 64), (1024, 1024), (1024, 4096)]:
        print(f"A {rows} x {columns} matrix: {matrix_state(rows, columns):.4f} bytes of state a parameter")


if __name__ == "__main__":
    main()
