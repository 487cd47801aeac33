"""The tiny model that the snippets of this folder share."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM


def tiny_model() -> LlamaForCausalLM:
    """A Llama of about 180 000 random weights with grouped heads, the same at every call; nothing is downloaded."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4}
    return LlamaForCausalLM(LlamaConfig(vocab_size=256, **sizes, **heads)).eval()


def tokens() -> torch.Tensor:
    """Two rows of token ids."""
    return torch.arange(16).reshape(2, 8)
