"""DeepSpeed: one configuration for each ZeRO stage, run by Trainer, and the bytes that a process then holds."""

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from _deepspeed import device, on_ranks, run, single_process_norm, tiny_dataset, tiny_model
from accelerate.state import AcceleratorState
from transformers import Trainer, TrainerCallback

# isort: split
# --8<-- [start:trainer]
from transformers import TrainingArguments


def training_arguments(
    output_dir: str, config: str | dict, use_cpu: bool = False
) -> TrainingArguments:
    return TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        bf16=True,
        # "stage0.json" to "stage3.json", or "stage3_offload.json".
        deepspeed=config,
        use_cpu=use_cpu,  # Without a GPU, bf16=True needs it.
    )


# --8<-- [end:trainer]
PROCESSES = 2
CONFIGURATIONS = sorted(Path(__file__).parent.glob("stage*.json"))


@dataclass(frozen=True)
class Run:
    """What one process held, in bytes for each parameter of the whole model, and the norm of the gradients.

    Gradients are counted between two batches of a step, and on the device: what is offloaded is not among them.
    """

    name: str
    stage: int
    weights: float
    gradients: float
    optimizer: float
    gradient_norm: float


def without_compiler(config: Path) -> dict[str, object]:
    """A configuration with PyTorch's AdamW in place of DeepSpeed's for CPUs, which this run would have to compile."""
    return json.loads(config.read_text("utf-8")) | {"zero_force_ds_cpu_optimizer": False}


class GradientBytes(TrainerCallback):
    """Counts the gradients on the device between two batches of one step."""

    def on_substep_end(self, *args: object, model: torch.nn.Module, **kwargs: object) -> None:
        optimizer = self.trainer.model_wrapped.optimizer
        # Stage 2 moves them into the one, stage 3 into the other.
        parts = [getattr(optimizer, name, {}).values() for name in ("all_grad_tensors", "averaged_gradients")]
        moved = [part for groups in parts for group in groups if group for part in group]
        whole = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        self.bytes = sum(gradient.nbytes for gradient in moved + whole)


def train(config: Path) -> Run:
    """One step of eight rows: two processes, two batches each of two rows."""
    AcceleratorState._reset_state(reset_partial_state=False)
    model = tiny_model()
    parameters = sum(parameter.numel() for parameter in model.parameters())
    gradients = GradientBytes()
    with TemporaryDirectory() as folder:
        args = training_arguments(folder, without_compiler(config), use_cpu=device().type == "cpu")
        trainer = Trainer(model, args, train_dataset=tiny_dataset(), callbacks=[gradients])
        gradients.trainer = trainer
        run(trainer, steps=1)
    engine = trainer.model_wrapped
    # Stage 3 leaves the whole weights empty and keeps a part of each.
    weights = [*model.parameters()] + [p.ds_tensor for p in model.parameters() if hasattr(p, "ds_tensor")]
    optimizer = getattr(engine.optimizer, "optimizer", engine.optimizer)
    masters = getattr(engine.optimizer, "fp32_partitioned_groups_flat", None)
    masters = masters or [p for group in optimizer.param_groups for p in group["params"]]
    states = [s for state in optimizer.state.values() for s in state.values() if torch.is_tensor(s) and s.dim()]
    return Run(
        name=config.stem,
        stage=engine.zero_optimization_stage(),
        weights=sum(w.nbytes for w in weights) / parameters,
        gradients=gradients.bytes / parameters,
        optimizer=sum(s.nbytes for s in [*states, *masters]) / parameters,
        gradient_norm=float(engine.get_global_grad_norm()),
    )


def runs() -> list[Run]:
    """This rank's run of every configuration."""
    return [train(config) for config in CONFIGURATIONS]


def main() -> None:
    for seen in on_ranks(runs, PROCESSES)[0]:
        parts = f"weights {seen.weights:.2f}, gradients {seen.gradients:.2f}, optimizer {seen.optimizer:.2f}"
        print(f"{seen.name} on {PROCESSES} processes, bytes a parameter: {parts}")
        print(f"  norm of the gradients: {seen.gradient_norm:.3f}")
    print(f"Norm on one process without DeepSpeed, in fp32: {single_process_norm(tiny_model()):.3f}")


if __name__ == "__main__":
    main()
