"""Peaks of the programs that open the pages on one GPU and on adapters, by the calculator's formulas."""

from estimate import MODELS, training, training_of_adapters

BATCH, LENGTH = 8, 512
ALL_WEIGHTS = {"precision": "mixed", "accumulation": True}
SMALL_STATE = {"optimizer": "adamw-8bit"}  # as Trainer sets it up, with the embedding's state in fp32


def peaks() -> dict[str, float]:
    """Bytes at the peak of a step by what runs, Llama 3.2 3B for all weights and Llama 3.1 8B for LoRA."""
    small, large = MODELS["Llama 3.2 3B"], MODELS["Llama 3.1 8B"]
    steps = {
        "All weights, the program": training(small, BATCH, LENGTH, checkpointing=True, **ALL_WEIGHTS, **SMALL_STATE),
        "All weights, no checkpointing": training(small, BATCH, LENGTH, **ALL_WEIGHTS, **SMALL_STATE),
        "All weights, no checkpointing, a quarter of the batch": training(
            small, BATCH // 4, LENGTH, **ALL_WEIGHTS, **SMALL_STATE
        ),
        "All weights, no checkpointing, AdamW in fp32": training(small, BATCH, LENGTH, **ALL_WEIGHTS),
        "LoRA, the program": training_of_adapters(large, BATCH, LENGTH, checkpointing=True),
        "LoRA, no checkpointing": training_of_adapters(large, BATCH, LENGTH),
        "QLoRA, the program": training_of_adapters(large, BATCH, LENGTH, quantized=True, checkpointing=True),
    }
    return {name: sum(parts.values()) for name, (_, parts) in steps.items()}


def main() -> None:
    print(f"Full batches, {BATCH} samples of {LENGTH} tokens, peak of a step")
    for name, size in peaks().items():
        print(f"{f'{name}:':55}{size / 1e9:6.2f} GB")


if __name__ == "__main__":
    main()
