"""ZeRO: what each stage shards, and the bytes that a GPU then holds for each parameter."""

import json
from pathlib import Path

from transformers import TrainingArguments

CONFIGURATIONS = Path(__file__).parent


def training_arguments(output_dir: str) -> TrainingArguments:
    """Needs the package deepspeed, and the file in the current folder."""
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        bf16=True,
        deepspeed="zero_stage2.json",  # the file above
    )
    # --8<-- [end:trainer]
    return args


# --8<-- [start:bytes]
# On each GPU, in mixed precision (arXiv:1910.02054, section 3).
def bytes_per_parameter(stage, gpus):
    # The weights and the gradients are in fp16 or bf16.
    weights = gradients = 2.0
    # AdamW keeps a copy of the weights and two moments, all in fp32.
    optimizer = 12.0
    if stage >= 1:
        optimizer /= gpus
    if stage >= 2:
        gradients /= gpus
    if stage >= 3:
        weights /= gpus
    return weights + gradients + optimizer


# --8<-- [end:bytes]


def main() -> None:
    for gpus in (1, 8, 64):
        row = ", ".join(f"stage {stage} {bytes_per_parameter(stage, gpus):.2f}" for stage in range(4))
        print(f"Bytes a parameter on each of {gpus} GPUs: {row}")
    for path in sorted(CONFIGURATIONS.glob("zero_stage*.json")):
        zero = json.loads(path.read_text(encoding="utf-8"))["zero_optimization"]
        offloaded = [key.removeprefix("offload_") for key in zero if key.startswith("offload_")]
        print(f"{path.name}: stage {zero['stage']}, in the CPU's memory: {', '.join(offloaded)}")


if __name__ == "__main__":
    main()
