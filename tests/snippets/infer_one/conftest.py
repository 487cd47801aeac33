"""A model that keeps a state in place of keys and values, for what drafts and paged caches do not support."""

import pytest
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel, Qwen3_5TextConfig

from snippets.infer_one._infer_one import device


@pytest.fixture
def linear_attention_model() -> PreTrainedModel:
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "head_dim": 8}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4}
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
    return AutoModelForCausalLM.from_config(Qwen3_5TextConfig(**sizes, **heads, **special)).to(device()).eval()
