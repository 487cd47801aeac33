"""The tiny model and the prompts that the snippets of this folder share, shaped like models of today."""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM


def device() -> torch.device:
    """The accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def tiny_model(dtype: torch.dtype = torch.bfloat16, **config: int) -> LlamaForCausalLM:
    """A Llama of random weights in evaluation mode, in bf16 as checkpoints have it, with grouped key-value heads."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}  # Generation goes on to its limit.
    whole = LlamaConfig(vocab_size=256, **(sizes | heads | special | config))
    return AutoModelForCausalLM.from_config(whole, dtype=dtype).to(device()).eval()


def prompts(*lengths: int) -> dict[str, torch.Tensor]:
    """A row of random token ids for each length, padded on the left as generation needs it, and the mask."""
    longest = max(lengths)
    tokens = torch.randint(1, 256, (len(lengths), longest), generator=torch.Generator().manual_seed(0))
    mask = (torch.arange(longest) >= longest - torch.tensor(lengths)[:, None]).long()
    return {"input_ids": (tokens * mask).to(device()), "attention_mask": mask.to(device())}
