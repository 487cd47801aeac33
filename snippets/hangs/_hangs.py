"""The tiny model and the launcher that the snippets of this folder share."""

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _ranks import device as device
from _ranks import on_ranks as on_ranks


def tiny_model() -> LlamaForCausalLM:
    """A Llama of random weights with two layers, the same on every rank."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": 64}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "pad_token_id": 0}
    return AutoModelForCausalLM.from_config(LlamaConfig(**sizes, **heads), dtype=torch.float32).to(device())
