"""The tiny model and the measures that the snippets of this folder share."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass
from torch.utils._pytree import tree_iter
from transformers import LlamaConfig, LlamaForCausalLM


def tiny_model(**config: object) -> LlamaForCausalLM:
    """A Llama of about 200 000 random weights in evaluation mode, the same at every call; nothing is downloaded."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4}
    sizes["use_cache"] = False  # One pass over the tokens needs no cache.
    return LlamaForCausalLM(LlamaConfig(vocab_size=256, **(sizes | config))).eval()


def tokens(rows: int = 2, length: int = 16) -> torch.Tensor:
    """Rows of random token ids."""
    return torch.randint(256, (rows, length), generator=torch.Generator().manual_seed(0))


def plain_tensors(tensor: torch.Tensor) -> list[torch.Tensor]:
    """The tensor itself, or the plain tensors that a quantized one wraps."""
    if not is_traceable_wrapper_subclass(tensor):
        return [tensor]
    names, _ = tensor.__tensor_flatten__()
    return [part for name in names for part in plain_tensors(getattr(tensor, name))]


class LargestTensor(TorchDispatchMode):
    """The bytes of the largest tensor that an operator returns inside a `with` block."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in tree_iter(result):
            if isinstance(tensor, torch.Tensor):
                self.bytes = max(self.bytes, tensor.untyped_storage().nbytes())
        return result
