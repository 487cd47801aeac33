"""The processes, the tiny model and its checkpoint that the snippets of this folder share."""

import multiprocessing
import os
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from tempfile import TemporaryDirectory
from typing import TypeVar

import torch
import torch.distributed as dist
from torch.distributed.launcher.api import LaunchConfig, elastic_launch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

T = TypeVar("T")
os.environ.setdefault("DS_ACCELERATOR", "cuda" if torch.cuda.is_available() else "cpu")  # DeepSpeed would guess.


def device() -> torch.device:
    """This rank's accelerator, or the CPU where the machine has none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def on_rank(function: Callable[[], T]) -> T:
    """Run `function` as one of torchrun's processes, with a process group around it."""
    torch.set_num_threads(1)
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


def tiny_model() -> LlamaForCausalLM:
    """A Llama of about 200 000 random weights in evaluation mode, the same on every rank; nothing is downloaded."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4}
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}  # Generation goes on to its limit.
    return LlamaForCausalLM(LlamaConfig(vocab_size=256, **sizes, **special)).to(device()).eval()


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


def prompt(length: int = 16) -> dict[str, torch.Tensor]:
    """One row of random token ids, and the mask that takes all of them."""
    row = torch.randint(1, 256, (1, length), generator=torch.Generator().manual_seed(0)).to(device())
    return {"input_ids": row, "attention_mask": torch.ones_like(row)}
