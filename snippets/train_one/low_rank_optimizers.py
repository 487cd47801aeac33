"""GaLore and APOLLO: Adam's moments of a gradient that is projected to a few dimensions."""

import warnings
from dataclasses import replace
from tempfile import TemporaryDirectory

import torch
from transformers import PreTrainedModel, Trainer, TrainingArguments

from _tiny import run, state_bytes, tiny_dataset, tiny_model

RANK = 8


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        optim="galore_adamw",  # or "apollo_adamw"
        optim_target_modules="all-linear",
        # A new projection every 200 steps.
        optim_args="rank=8, update_proj_gap=200",
    )
    # --8<-- [end:trainer]
    return args


def train(optim: str, steps: int = 1) -> tuple[PreTrainedModel, torch.optim.Optimizer]:
    """The model and its optimizer after a few steps."""
    model = tiny_model()
    with TemporaryDirectory() as output_dir, warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # GaLore's AdamW comes from an older transformers.
        args = replace(training_arguments(output_dir), optim=optim)
        trainer = run(Trainer(model, args, train_dataset=tiny_dataset()), steps)
    return model, trainer.optimizer.optimizer


# --8<-- [start:state]
# Both moments of a matrix in fp32 (arXiv:2403.03507).
def moment_bytes(shape, rank=8):
    # The longer side stays, the shorter one becomes the rank.
    return 4 * 2 * rank * max(shape)


# --8<-- [end:state]


def projection_bytes(optimizer: torch.optim.Optimizer) -> int:
    """Bytes of the projections, which the optimizer keeps in objects, not in tensors of its state."""
    projectors = [state["projector"] for state in optimizer.state.values() if "projector" in state]
    return sum(projector.ortho_matrix.nbytes for projector in projectors)


def update_rank(optim: str) -> int:
    """The rank of the change that one step makes to a linear layer of 64 x 64 weights."""
    before = tiny_model().model.layers[0].self_attn.q_proj.weight
    after = train(optim)[0].model.layers[0].self_attn.q_proj.weight
    return int(torch.linalg.matrix_rank(after - before, rtol=1e-3))


def main() -> None:
    plain = 8 * sum(parameter.numel() for parameter in tiny_model().parameters())
    print(f"AdamW:  {plain:>9,} bytes of moments")
    for name, optim in (("GaLore", "galore_adamw"), ("APOLLO", "apollo_adamw")):
        _, optimizer = train(optim)
        print(f"{name}: {state_bytes(optimizer):>9,} bytes of moments, ", end="")
        rank = "8" if update_rank(optim) == RANK else "above 8"
        print(f"{projection_bytes(optimizer):,} of projections; a step's change has rank {rank}")


if __name__ == "__main__":
    main()
