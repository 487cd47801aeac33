"""SDPA on a CPU: the same logits, and no matrix of all scores."""

from tempfile import TemporaryDirectory

from _infer_cpu import LargestTensor, tiny_model, tokens

# isort: split
# --8<-- [start:choose]
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel


def load(
    checkpoint: str, implementation: str = "sdpa"
) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(
        checkpoint,
        # The default is the checkpoint's type, which is bf16 for most.
        dtype=torch.float32,
        attn_implementation=implementation,  # "sdpa" is the default
    )


# --8<-- [end:choose]
# --8<-- [start:infer]
def infer(model: PreTrainedModel, rows: torch.Tensor) -> torch.Tensor:
    with torch.inference_mode():
        return model(rows).logits


# --8<-- [end:infer]
def largest_tensor(implementation: str, length: int) -> int:
    """Bytes of the largest tensor of a forward pass over one row."""
    with TemporaryDirectory() as checkpoint:
        tiny_model().save_pretrained(checkpoint)
        model = load(checkpoint, implementation)
    with torch.inference_mode(), LargestTensor() as largest:
        model.model(tokens(1, length), use_cache=False)  # without the logits, which are large as well
    return largest.bytes


def main() -> None:
    with TemporaryDirectory() as checkpoint:
        tiny_model().bfloat16().save_pretrained(checkpoint)
        logits = {name: infer(load(checkpoint, name), tokens()) for name in ("sdpa", "eager")}
        default = AutoModelForCausalLM.from_pretrained(checkpoint).dtype
    difference = logits["sdpa"] - logits["eager"]
    print(f"A checkpoint in bf16 is loaded in {default} by default, here in {logits['sdpa'].dtype}")
    print(f"Largest difference of the logits: {difference.abs().max():.4f}")
    print("Largest tensor of a forward pass over one row:")
    for length in (256, 512, 1024):
        eager, sdpa = largest_tensor("eager", length), largest_tensor("sdpa", length)
        print(f"  {length:4} tokens: eager {eager:>10,} bytes, SDPA {sdpa:>9,} bytes")


if __name__ == "__main__":
    main()
