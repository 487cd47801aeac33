"""What a training step holds in memory, counted: weights, gradients, optimizer state and activations."""

from dataclasses import dataclass

import torch
from torch import nn

from _tiny import tiny_batch, tiny_model
from gradient_checkpointing import saved_bytes

Batch = dict[str, torch.Tensor]


@dataclass(frozen=True)
class StepMemory:
    """Bytes by kind."""

    weights: int
    gradients: int
    optimizer: int
    activations: int


def measure(model: nn.Module, batches: list[Batch]) -> StepMemory:
    """Train one step on `batches`, accumulating; the activations are the largest batch's."""
    # --8<-- [start:count]
    optimizer = torch.optim.AdamW(model.parameters())
    # Of several batches whose gradients add up, the largest counts.
    activations = max(saved_bytes(model, batch) for batch in batches)
    optimizer.step()

    # Two moments a parameter; the counter of the steps is left out.
    moments = [
        state[name]
        for state in optimizer.state.values()
        for name in ("exp_avg", "exp_avg_sq")
    ]
    trained = [p for p in model.parameters() if p.grad is not None]
    memory = {
        "weights": sum(p.nbytes for p in model.parameters()),
        "gradients": sum(p.grad.nbytes for p in trained),
        "optimizer": sum(moment.nbytes for moment in moments),
        "activations": activations,
    }
    # --8<-- [end:count]
    return StepMemory(**memory)


def split(batch: Batch, pieces: int) -> list[Batch]:
    """The batch in equal pieces of rows."""
    chunks = {name: tensor.chunk(pieces) for name, tensor in batch.items()}
    return [{name: chunks[name][piece].clone() for name in chunks} for piece in range(pieces)]


def techniques(rows: int = 8, length: int = 64) -> dict[str, StepMemory]:
    """The same step with and without checkpointing and accumulation."""
    batch = tiny_batch(rows, length)
    checkpointed = tiny_model()
    checkpointed.activation_checkpointing_enable()
    both = tiny_model()
    both.activation_checkpointing_enable()
    return {
        "plain": measure(tiny_model(), [batch]),
        "accumulation, 8 x 1 row": measure(tiny_model(), split(batch, rows)),
        "checkpointing": measure(checkpointed, [batch]),
        "both": measure(both, split(batch, rows)),
    }


def main() -> None:
    parameters = sum(p.numel() for p in tiny_model().parameters())
    print(f"Bytes of a step with {parameters:,} parameters in fp32, AdamW, 8 rows of 64 tokens")
    print(f"{'':24}{'weights':>12}{'gradients':>12}{'optimizer':>12}{'activations':>13}")
    for name, memory in techniques().items():
        held = f"{memory.weights:12,}{memory.gradients:12,}{memory.optimizer:12,}{memory.activations:13,}"
        print(f"{name:24}{held}")


if __name__ == "__main__":
    main()
