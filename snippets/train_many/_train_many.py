"""The tiny model and the comparisons that the snippets of this folder share, and the launcher of their processes."""

import sys
from collections.abc import Iterable
from pathlib import Path

import torch
from torch import nn
from torch.distributed.tensor import DTensor
from transformers import LlamaConfig, LlamaForCausalLM

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _checkpoint import tiny_checkpoint as tiny_checkpoint
from _ranks import device
from _ranks import on_ranks as on_ranks

VOCABULARY = 256
Tensors = dict[str, torch.Tensor]


def tiny_model(**config: object) -> LlamaForCausalLM:
    """A Llama of about 180 000 random weights with grouped heads, the same at every call and on every rank."""
    torch.manual_seed(0)
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4}
    return LlamaForCausalLM(LlamaConfig(**(sizes | heads | config))).to(device())


def tokens(rows: int = 8, length: int = 16) -> torch.Tensor:
    """`rows` rows of random token ids, which are their own labels; the same on every rank."""
    generator = torch.Generator().manual_seed(0)
    return torch.randint(VOCABULARY, (rows, length), generator=generator).to(device())


def ragged(rows: int = 8, length: int = 17) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rows of other lengths, padded on the right: token ids, their mask, and labels that are -100 on the padding."""
    ids = tokens(rows, length)
    lengths = torch.arange(rows, device=ids.device) * (length - 4) // (rows - 1) + 4
    mask = (torch.arange(length, device=ids.device) < lengths[:, None]).long()
    return ids * mask, mask, ids.masked_fill(mask == 0, -100)


def whole(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of a tensor, gathered from all ranks where it is sharded."""
    return (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach().clone()


def gradients(model: nn.Module) -> Tensors:
    """A copy of every parameter's whole gradient, by name."""
    return {name: whole(p.grad) for name, p in model.named_parameters() if p.grad is not None}


def single_process_gradients(
    rows: torch.Tensor, labels: torch.Tensor | None = None, model: LlamaForCausalLM | None = None
) -> Tensors:
    """The gradients of the mean loss over the tokens of all rows, on one process that has the whole model."""
    model = model or tiny_model()
    model(input_ids=rows, labels=rows if labels is None else labels).loss.backward()
    return gradients(model)


def relative_difference(ours: Tensors, theirs: Tensors) -> float:
    """The norm of the difference of all tensors together, divided by the norm of `theirs`."""
    assert ours.keys() == theirs.keys()
    difference = sum((ours[name] - theirs[name]).double().square().sum() for name in theirs)
    return (difference / sum(tensor.double().square().sum() for tensor in theirs.values())).sqrt().item()


def local_bytes(tensors: Iterable[torch.Tensor]) -> int:
    """Bytes of what this rank holds of tensors, sharded or not."""
    return sum((t.to_local() if isinstance(t, DTensor) else t).nbytes for t in tensors)
