"""The tiny model and the prompt that the snippets of this folder share, and the launcher of their processes."""

import sys
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _checkpoint import tiny_checkpoint as tiny_checkpoint
from _ranks import device
from _ranks import on_ranks as on_ranks


def tiny_model(**config: object) -> LlamaForCausalLM:
    """A Llama of about 180 000 random weights with grouped heads, in evaluation mode, the same on every rank."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    sizes |= {"num_attention_heads": 8, "num_key_value_heads": 4}
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}  # Generation goes on to its limit.
    return LlamaForCausalLM(LlamaConfig(**(sizes | special | config))).to(device()).eval()


def prompt(length: int = 16) -> dict[str, torch.Tensor]:
    """One row of random token ids, and the mask that takes all of them."""
    row = torch.randint(1, 256, (1, length), generator=torch.Generator().manual_seed(0)).to(device())
    return {"input_ids": row, "attention_mask": torch.ones_like(row)}
