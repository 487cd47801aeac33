"""The longest sample that a GPU holds with QLoRA and LoRA, by the calculator's formulas; a fused loss makes room."""

from estimate import MODELS, Shape, adapter, frozen, fused, instants_of_adapters, state_of

GPUS = (24, 48, 80)  # GB
LEFT_FREE = 0.1  # for what the estimate leaves out
RANK = 16
METHODS = {"QLoRA": True, "LoRA": False}  # and whether the base is quantized
ALL_LOGITS = {"loss", "logits"}  # instants at which logits of all tokens exist


def peak(shape: Shape, length: int, quantized: bool, fused_loss: bool) -> float:
    """Bytes at the peak of a step on one sample: autocast in bf16, checkpointing, AdamW, LoRA on all linear layers."""
    found = instants_of_adapters(shape, 1, length, RANK, quantized, True, fused(shape, "bf16"))
    most = max(sum(parts) for name, parts in found.items() if not (fused_loss and name in ALL_LOGITS))
    trained = shape.layers * sum(4 * r * c + state_of("adamw", r, c, 4) for r, c in adapter(shape, RANK))
    tables = 2 * length * shape.head_size * (4 if quantized else 2) + 16 * length
    return frozen(shape, quantized) + trained + tables + most


def longest(shape: Shape, room: float, quantized: bool, fused_loss: bool) -> int:
    """The most tokens, a multiple of 1,024, whose peak fits into so many bytes; 0 if none do."""
    tokens = 0
    while peak(shape, tokens + 1024, quantized, fused_loss) <= room:
        tokens += 1024
    return tokens


def main() -> None:
    shape = MODELS["Llama 3.1 8B"]
    print(f"Llama 3.1 8B, tokens of the longest sample that leaves {LEFT_FREE:.0%} of the memory free")
    print(" " * 17, *(f"{gpu:>7} GB" for gpu in GPUS))
    for method, quantized in METHODS.items():
        for loss, fused_loss in {"": False, ", fused loss": True}.items():
            found = [longest(shape, (1 - LEFT_FREE) * gpu * 1e9, quantized, fused_loss) for gpu in GPUS]
            print(f"{method + loss:17}", *(f"{tokens:10,}" for tokens in found))


if __name__ == "__main__":
    main()
