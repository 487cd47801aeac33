"""The tiny model and the samples that the snippets of this folder share, shaped like models of today."""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

LENGTHS = (9, 4, 16, 7, 5)


def device() -> torch.device:
    """The accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def tiny_model(dtype: torch.dtype = torch.float32, attention: str = "sdpa", **config: object) -> LlamaForCausalLM:
    """A Llama of random weights with grouped key-value heads; `use_cache` is what configurations have, True."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "pad_token_id": 0}
    whole = LlamaConfig(vocab_size=256, **(sizes | heads | config))
    return AutoModelForCausalLM.from_config(whole, dtype=dtype, attn_implementation=attention).to(device())


def samples(lengths: tuple[int, ...] = LENGTHS) -> list[dict[str, list[int]]]:
    """Samples of random token ids, of different lengths."""
    generator = torch.Generator().manual_seed(0)
    return [{"input_ids": torch.randint(1, 256, (n,), generator=generator).tolist()} for n in lengths]


def relative_difference(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, divided by the norm of `theirs`."""
    return ((ours - theirs).norm() / theirs.norm()).item()
