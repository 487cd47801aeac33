"""SDPA on a CPU: the same logits, and no matrix of all scores."""

import torch
from _infer_cpu import LargestTensor, tiny_model, tokens
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedModel


def load(config: LlamaConfig, implementation: str) -> PreTrainedModel:
    """The same random weights with another attention."""
    torch.manual_seed(0)
    # --8<-- [start:choose]
    model = AutoModelForCausalLM.from_config(
        config,
        attn_implementation=implementation,  # "sdpa" is the default
    )
    # --8<-- [end:choose]
    return model.eval()


def infer(model: PreTrainedModel, rows: torch.Tensor) -> torch.Tensor:
    # --8<-- [start:infer]
    with torch.inference_mode():
        logits = model(rows).logits
    # --8<-- [end:infer]
    return logits


def largest_tensor(implementation: str, length: int) -> int:
    """Bytes of the largest tensor of a forward pass over one row."""
    model = load(tiny_model().config, implementation)
    with torch.inference_mode(), LargestTensor() as largest:
        model.model(tokens(1, length))  # without the logits, which are large as well
    return largest.bytes


def main() -> None:
    config = tiny_model().config
    difference = infer(load(config, "sdpa"), tokens()) - infer(load(config, "eager"), tokens())
    print(f"Largest difference of the logits: {difference.abs().max():.4f}")
    print("Largest tensor of a forward pass over one row:")
    for length in (256, 512, 1024):
        eager, sdpa = largest_tensor("eager", length), largest_tensor("sdpa", length)
        print(f"  {length:4} tokens: eager {eager:>10,} bytes, SDPA {sdpa:>9,} bytes")


if __name__ == "__main__":
    main()
