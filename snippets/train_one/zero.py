"""ZeRO on one GPU: a configuration of each stage that offloads to the CPU's memory."""

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


def main() -> None:
    for path in sorted(CONFIGURATIONS.glob("zero_stage*.json")):
        zero = json.loads(path.read_text(encoding="utf-8"))["zero_optimization"]
        offloaded = [key.removeprefix("offload_") for key in zero if key.startswith("offload_")]
        print(f"{path.name}: stage {zero['stage']}, in the CPU's memory: {', '.join(offloaded)}")


if __name__ == "__main__":
    main()
