"""The tiny model and the measures that the snippets of this folder share."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter
from transformers import LlamaConfig, LlamaForCausalLM


def tiny_model(**config: object) -> LlamaForCausalLM:
    """A Llama of about 180 000 random weights with grouped heads, in evaluation mode, the same at every call."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4}
    return LlamaForCausalLM(LlamaConfig(**(sizes | heads | config))).eval()


def tokens(rows: int = 2, length: int = 16) -> torch.Tensor:
    """Rows of random token ids."""
    return torch.randint(256, (rows, length), generator=torch.Generator().manual_seed(0))


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
