"""AdamW three ways (plain, foreach, fused): the same step by different kernels."""

from tempfile import TemporaryDirectory

import torch
from torch import nn
from transformers import Trainer, TrainingArguments

from _tiny import (
    OperatorNames,
    relative_difference,
    run,
    state_bytes_per_parameter,
    tiny_batch,
    tiny_dataset,
    tiny_model,
)


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        # The default since transformers 4.54, with PyTorch 2.8 or newer.
        optim="adamw_torch_fused",
    )
    # --8<-- [end:trainer]
    return args


def variants(model: nn.Module) -> dict[str, torch.optim.Optimizer]:
    # --8<-- [start:plain_fused_foreach]
    # A loop over the parameters.
    plain = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
    # Each operation for all parameters at once.
    foreach = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
    # All operations of the step in one kernel.
    fused = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    # --8<-- [end:plain_fused_foreach]
    return {"plain": plain, "foreach": foreach, "fused": fused}


def step(name: str, steps: int = 3) -> tuple[dict[str, torch.Tensor], set[str], float]:
    """The weights after some steps, the operators of the last one, and the state's bytes a parameter."""
    model = tiny_model()
    optimizer = variants(model)[name]
    for _ in range(steps):
        optimizer.zero_grad()
        model(**tiny_batch()).loss.backward()
        with OperatorNames() as operators:
            optimizer.step()
    weights = {name: parameter.detach() for name, parameter in model.named_parameters()}
    return weights, operators.names, state_bytes_per_parameter(optimizer)


def main() -> None:
    plain, _, _ = step("plain")
    for name in ("plain", "foreach", "fused"):
        weights, _, state = step(name)
        print(f"{name:8} relative difference from plain {relative_difference(weights, plain):.6f}, ", end="")
        print(f"state {state:.2f} bytes a parameter")
    with TemporaryDirectory() as output_dir:
        trainer = run(Trainer(tiny_model(), training_arguments(output_dir), train_dataset=tiny_dataset()))
    print(f"Trainer's optimizer is fused: {trainer.optimizer.optimizer.defaults['fused']}")


if __name__ == "__main__":
    main()
