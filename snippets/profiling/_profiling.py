"""The tiny model and the batches that the snippets of this folder share, shaped like models of today."""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM


def device() -> torch.device:
    """The accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def tiny_model(dtype: torch.dtype = torch.float32) -> LlamaForCausalLM:
    """A Llama of random weights with grouped key-value heads, in training mode."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "vocab_size": 256}
    config = LlamaConfig(**sizes, num_attention_heads=4, num_key_value_heads=2, use_cache=False)
    return AutoModelForCausalLM.from_config(config, dtype=dtype).to(device()).train()


def batches(count: int) -> list[dict[str, torch.Tensor]]:
    """Batches of four sequences, the last of three."""
    generator = torch.Generator().manual_seed(0)
    sizes = [4] * (count - 1) + [3]
    rows = [torch.randint(1, 256, (size, 64), generator=generator).to(device()) for size in sizes]
    return [{"input_ids": row, "labels": row} for row in rows]
