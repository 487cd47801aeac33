"""The tiny model and the measures that the snippets of this folder share, and their tiny data and short run."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass
from transformers import LlamaConfig, LlamaForCausalLM

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _training import VOCABULARY as VOCABULARY
from _training import run as run
from _training import tiny_dataset as tiny_dataset


def device() -> torch.device:
    """The accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def tiny_model(**config: object) -> LlamaForCausalLM:
    """A Llama of about 200 000 random weights in fp32, the same at every call; two heads share a key."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4}
    sizes["num_key_value_heads"] = 2
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, **(sizes | config))).to(device())


@contextmanager
def tiny_checkpoint(**config: object) -> Iterator[str]:
    """A folder with the weights of `tiny_model` in bf16, as most models are published."""
    with TemporaryDirectory() as folder:
        tiny_model(**config).to(torch.bfloat16).save_pretrained(folder)
        yield folder


def tiny_batch(rows: int = 8, length: int = 16) -> dict[str, torch.Tensor]:
    """The rows of `tiny_dataset` as one batch, on the device."""
    dataset = tiny_dataset(rows, length)
    return {key: torch.stack([row[key] for row in dataset]).to(device()) for key in dataset[0]}


def gradients(model: nn.Module) -> dict[str, torch.Tensor]:
    """A copy of every parameter's gradient, by name."""
    return {name: p.grad.detach().clone() for name, p in model.named_parameters() if p.grad is not None}


def relative_difference(ours: dict[str, torch.Tensor], theirs: dict[str, torch.Tensor]) -> float:
    """The norm of the difference of all tensors together, divided by the norm of `theirs`."""
    assert ours.keys() == theirs.keys()
    difference = sum((ours[name] - theirs[name]).double().square().sum() for name in theirs)
    return (difference / sum(tensor.double().square().sum() for tensor in theirs.values())).sqrt().item()


def plain_tensors(tensor: torch.Tensor) -> list[torch.Tensor]:
    """The tensor itself, or the plain tensors that a quantized one wraps."""
    if not is_traceable_wrapper_subclass(tensor):
        return [tensor]
    names, _ = tensor.__tensor_flatten__()
    return [part for name in names for part in plain_tensors(getattr(tensor, name))]


def state_bytes(optimizer: torch.optim.Optimizer) -> int:
    """Bytes of the optimizer's state, shared tables once; step counters (tensors without a dimension) left out."""
    values = [value for state in optimizer.state.values() for value in state.values()]
    tensors = [value for value in values if torch.is_tensor(value) and value.dim() > 0]
    storages = [part.untyped_storage() for tensor in tensors for part in plain_tensors(tensor)]
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())


def state_bytes_per_parameter(optimizer: torch.optim.Optimizer) -> float:
    """Bytes of the optimizer's state for each parameter that it updates."""
    return state_bytes(optimizer) / sum(p.numel() for group in optimizer.param_groups for p in group["params"])


class OperatorNames(TorchDispatchMode):
    """Collects the names of the PyTorch operators that run inside a `with` block."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.add(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


def linear_dtypes(model: nn.Module) -> set[torch.dtype]:
    """The dtypes that the model's linear layers put out from now on; a live set, filled as the model runs."""
    dtypes: set[torch.dtype] = set()
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.register_forward_hook(lambda module, inputs, output: dtypes.add(output.dtype))
    return dtypes
