"""LOMO: each weight is updated as soon as its gradient is there, and the gradient is dropped."""

from tempfile import TemporaryDirectory

import torch

# --8<-- [start:imports]
from lomo_optim import Lomo

# --8<-- [end:imports]
from torch import nn
from transformers import PreTrainedModel, Trainer, TrainingArguments

from _tiny import run, state_bytes, tiny_batch, tiny_dataset, tiny_model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        optim="lomo",
        max_grad_norm=0.0,  # No gradient is left to clip.
    )
    # --8<-- [end:trainer]
    return args


def train(model: PreTrainedModel, batches: list[dict[str, torch.Tensor]]) -> None:
    # --8<-- [start:loop]
    lr = 1e-2
    optimizer = Lomo(model, lr=lr)

    model.train()
    for batch in batches:
        loss = model(**batch).loss
        # Backward pass and SGD step in one; no zero_grad, no step.
        optimizer.fused_backward(loss, lr)
    # --8<-- [end:loop]


def watch_gradients(model: nn.Module) -> list[int]:
    """The bytes of all gradients held whenever another one has arrived; a live list."""
    held: list[int] = []

    def arrived(_: nn.Parameter) -> None:
        held.append(sum(p.grad.nbytes for p in model.parameters() if p.grad is not None))

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(arrived)
    return held


def main() -> None:
    batch = tiny_batch()
    plain, fused = tiny_model(), tiny_model()
    plain_held, fused_held = watch_gradients(plain), watch_gradients(fused)
    plain(**batch).loss.backward()
    train(fused, [batch])
    print(f"Gradients held at most, plain backward pass: {max(plain_held):>9,} bytes")
    print(f"Gradients held at most, LOMO:                {max(fused_held):>9,} bytes")
    with TemporaryDirectory() as output_dir:
        trainer = run(Trainer(tiny_model(), training_arguments(output_dir), train_dataset=tiny_dataset()))
    optimizer = trainer.optimizer.optimizer
    print(f"Trainer: {type(optimizer).__name__}, {state_bytes(optimizer)} bytes of state")


if __name__ == "__main__":
    main()
