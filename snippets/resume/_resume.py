"""The tiny model, its data and the launcher that the snippets of this folder share."""

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _ranks import device as device
from _ranks import on_ranks as on_ranks
from _training import VOCABULARY
from _training import tiny_dataset as tiny_dataset


def tiny_model() -> LlamaForCausalLM:
    """A Llama of random weights with two layers, dropout in its attention, the same on every rank."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": VOCABULARY}
    config = LlamaConfig(**sizes, num_attention_heads=4, num_key_value_heads=2, use_cache=False)
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32).to(device())
