"""The tiny model and the counts that the snippets of this folder share."""

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM


def device() -> torch.device:
    """The accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def tiny_model(seed: int = 0, **config: object) -> LlamaForCausalLM:
    """A Llama of about 180 000 random weights with grouped heads, in evaluation mode, the same for a seed."""
    torch.manual_seed(seed)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    sizes |= {"num_attention_heads": 8, "num_key_value_heads": 2}
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}  # Generation goes on to its limit.
    return LlamaForCausalLM(LlamaConfig(**(sizes | special | config))).to(device()).eval()


def prompt(length: int = 16) -> dict[str, torch.Tensor]:
    """One row of random token ids, and the mask that takes all of them."""
    row = torch.randint(1, 256, (1, length), generator=torch.Generator().manual_seed(0)).to(device())
    return {"input_ids": row, "attention_mask": torch.ones_like(row)}


def count_passes(model: nn.Module) -> list[int]:
    """The number of tokens that each forward pass takes from now on; a live list."""
    passes: list[int] = []
    model.get_input_embeddings().register_forward_hook(lambda module, inputs, output: passes.append(output.shape[1]))
    return passes
