"""Attention: one argument chooses the implementation, one context manager chooses the kernel."""

import torch
from torch import nn

# --8<-- [start:imports]
from torch.nn.attention import SDPBackend, sdpa_kernel

# --8<-- [end:imports]
from transformers import AutoModelForCausalLM

from _tiny import OperatorNames, device, tiny_batch, tiny_model


# --8<-- [start:choose]
# The default is "sdpa".
# Others are "eager", "flex_attention" and "flash_attention_2".
def choose(config, implementation="sdpa"):
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(
        config, attn_implementation=implementation
    )


# --8<-- [end:choose]


def flash_attention(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """The loss, computed by PyTorch's FlashAttention kernel."""
    # --8<-- [start:kernel]
    # On a GPU, FlashAttention takes fp16 and bf16 only.
    # It takes no mask other than the causal one.
    autocast = torch.autocast(model.device.type, dtype=torch.bfloat16)
    with autocast, sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        loss = model(**batch).loss
    # --8<-- [end:kernel]
    return loss


def attention_operators(model: nn.Module, kernel: SDPBackend) -> list[str]:
    """The operators, of those that attention is made of, that run when only `kernel` is allowed."""
    with OperatorNames() as operators, torch.autocast(device().type, dtype=torch.bfloat16), sdpa_kernel(kernel):
        model(tiny_batch()["input_ids"])
    return sorted(name for name in operators.names if "attention" in name or "softmax" in name or name == "bmm")


def main() -> None:
    batch, config = tiny_batch(), tiny_model().config
    eager, sdpa = choose(config, "eager").to(device()), choose(config, "sdpa").to(device())
    with torch.no_grad():
        difference = (sdpa(**batch).logits - eager(**batch).logits).abs().max()
    print(f"Default implementation: {tiny_model().config._attn_implementation}")
    print(f"Largest difference of the logits, SDPA and eager: {difference:.4f}")
    for kernel in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
        print(f"{kernel.name} on {device().type}: {', '.join(attention_operators(sdpa, kernel))}")
    print(f"to_bettertransformer is there: {hasattr(sdpa, 'to_bettertransformer')}")


if __name__ == "__main__":
    main()
