"""The tiny model, the batches and the comparisons that the snippets of this folder share."""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.distributed.tensor import DTensor
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _ranks import device as device
from _ranks import on_ranks as on_ranks

PROCESSES = 4
VOCABULARY = 251  # No number of ranks divides it.


def tiny_model(dtype: torch.dtype = torch.float32) -> LlamaForCausalLM:
    """A Llama of random weights with three layers and grouped key-value heads, the same on every rank."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "vocab_size": VOCABULARY}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "pad_token_id": 0}
    config = LlamaConfig(**sizes, **heads, use_cache=False)
    return AutoModelForCausalLM.from_config(config, dtype=dtype).to(device())


def tokens(rows: int = 8) -> torch.Tensor:
    """Rows of random token ids, the same on every rank."""
    return torch.randint(1, VOCABULARY, (rows, 12), generator=torch.Generator().manual_seed(0)).to(device())


def whole(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor as one process would have it."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def gradient_difference(model: nn.Module) -> float:
    """The relative difference of the gradients from those of one process, all tensors together."""
    alone = tiny_model()
    alone(input_ids=tokens(), labels=tokens()).loss.backward()
    pairs = [(whole(p.grad).float(), q.grad) for p, q in zip(model.parameters(), alone.parameters(), strict=True)]
    difference = sum((ours - theirs).square().sum() for ours, theirs in pairs)
    return (difference / sum(theirs.square().sum() for _, theirs in pairs)).sqrt().item()
