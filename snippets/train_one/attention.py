"""Attention: one argument chooses the implementation, one context manager chooses the kernel."""

import torch
from torch import nn

# --8<-- [start:imports]
from torch.nn.attention import SDPBackend, sdpa_kernel

# --8<-- [end:imports]
from transformers import AutoModelForCausalLM, PreTrainedModel

from _tiny import OperatorNames, device, tiny_batch, tiny_checkpoint, tiny_model


def load(checkpoint: str) -> PreTrainedModel:
    # --8<-- [start:choose]
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32, attn_implementation="sdpa"
    )
    # --8<-- [end:choose]
    return model.to(device())


def flash_attention(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """The loss, computed by PyTorch's FlashAttention kernel."""
    # --8<-- [start:kernel]
    model.to(batch["input_ids"].device)
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
    batch = tiny_batch()
    with tiny_checkpoint() as checkpoint:
        sdpa, eager = load(checkpoint), load(checkpoint)
    eager.set_attn_implementation("eager")
    with torch.no_grad():
        difference = (sdpa(**batch).logits - eager(**batch).logits).abs().max()
    print(f"Default implementation: {tiny_model().config._attn_implementation}")
    print(f"Largest difference of the logits, SDPA and eager: {difference:.4f}")
    for kernel in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
        print(f"{kernel.name} on {device().type}: {', '.join(attention_operators(sdpa, kernel))}")
    print(f"to_bettertransformer is there: {hasattr(sdpa, 'to_bettertransformer')}")


if __name__ == "__main__":
    main()
