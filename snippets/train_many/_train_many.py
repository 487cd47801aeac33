"""The processes, the tiny model and the comparisons that the snippets of this folder share."""

import multiprocessing
import os
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from tempfile import TemporaryDirectory
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.launcher.api import LaunchConfig, elastic_launch
from torch.distributed.tensor import DTensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

VOCABULARY = 256
T = TypeVar("T")
Tensors = dict[str, torch.Tensor]


def device() -> torch.device:
    """This rank's accelerator, or the CPU where the machine has none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def on_rank(function: Callable[[], T]) -> T:
    """Run `function` as one of torchrun's processes, with a process group around it."""
    torch.set_num_threads(1)
    os.environ["DS_ACCELERATOR"] = device().type  # Where DeepSpeed is installed it prints a guess otherwise.
    if device().type != "cpu":
        torch.accelerator.set_device_index(int(os.environ["LOCAL_RANK"]))
    backend = "gloo" if device().type == "cpu" else None  # None is the accelerator's own: NCCL on CUDA.
    dist.init_process_group(backend, timeout=timedelta(minutes=2))
    try:
        return function()
    finally:
        dist.destroy_process_group()


def gathered(function: Callable[[], T]) -> list[T]:
    """What `function` returns on every rank, on every rank."""
    result = function()
    results: list[T] = [result] * dist.get_world_size()
    dist.all_gather_object(results, result)
    return results


def on_ranks(function: Callable[[], T], processes: int) -> list[T]:
    """What `function`, which a module names, returns on each rank.

    Started by torchrun, this process is one of the ranks; all but the first end here, so that one of them prints.
    Otherwise `processes` are started as `torchrun --standalone` starts them, on a free port of this machine. They
    are forked from a server that has imported transformers, once for all of them, and end when this process does.
    """
    if "RANK" in os.environ:
        results = on_rank(lambda: gathered(function))
        if os.environ["RANK"] != "0":
            sys.exit()
        return results
    multiprocessing.set_forkserver_preload(["transformers.models.llama.modeling_llama"])
    launch = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        start_method="forkserver",
        run_id=str(uuid.uuid4()),
        max_restarts=0,
    )
    results = elastic_launch(launch, on_rank)(function)
    return [results[rank] for rank in range(processes)]


def tiny_model(**config: object) -> LlamaForCausalLM:
    """A Llama of about 200 000 random weights, the same at every call and on every rank; nothing is downloaded."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4}
    options = {"vocab_size": VOCABULARY, "use_cache": False}  # The cache of keys and values is for generation.
    return LlamaForCausalLM(LlamaConfig(**(options | sizes | config))).to(device())


@contextmanager
def tiny_checkpoint(model: PreTrainedModel) -> Iterator[str]:
    """A folder with the model's weights as the hub has them, the same folder on every rank."""
    with TemporaryDirectory() as folder:
        folders = [folder]
        dist.broadcast_object_list(folders)
        model.save_pretrained(folders[0])  # Rank 0 alone writes.
        dist.barrier()
        yield folders[0]
        dist.barrier()


def tokens(rows: int = 8, length: int = 16) -> torch.Tensor:
    """`rows` rows of random token ids, which are their own labels; the same on every rank."""
    generator = torch.Generator().manual_seed(0)
    return torch.randint(VOCABULARY, (rows, length), generator=generator).to(device())


def whole(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of a tensor, gathered from all ranks where it is sharded."""
    return (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach().clone()


def gradients(model: nn.Module) -> Tensors:
    """A copy of every parameter's whole gradient, by name."""
    return {name: whole(p.grad) for name, p in model.named_parameters() if p.grad is not None}


def single_process_gradients(rows: torch.Tensor) -> Tensors:
    """The gradients of the loss of all rows, on one process that has the whole model."""
    model = tiny_model()
    model(input_ids=rows, labels=rows).loss.backward()
    return gradients(model)


def relative_difference(ours: Tensors, theirs: Tensors) -> float:
    """The norm of the difference of all tensors together, divided by the norm of `theirs`."""
    assert ours.keys() == theirs.keys()
    difference = sum((ours[name] - theirs[name]).double().square().sum() for name in theirs)
    return (difference / sum(tensor.double().square().sum() for tensor in theirs.values())).sqrt().item()


def local_bytes(tensors: Iterable[torch.Tensor]) -> int:
    """Bytes of what this rank holds of tensors, sharded or not."""
    return sum((t.to_local() if isinstance(t, DTensor) else t).nbytes for t in tensors)
