"""The launcher that several folders share: the processes of a job, each a rank with a process group around it."""

import fcntl
import multiprocessing
import os
import signal
import sys
import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TypeVar

import torch
import torch.distributed as dist
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

T = TypeVar("T")
MODELS = ("transformers.models.llama.modeling_llama",)


def device() -> torch.device:
    """This rank's accelerator, or the CPU where the machine has none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


os.environ.setdefault("DS_ACCELERATOR", device().type)  # Where DeepSpeed is installed it prints a guess otherwise.


def end_with_parent() -> None:
    """From now on this process ends when the one that started it does, however that one ends; on Linux alone.

    multiprocessing gives a process the end of a pipe whose other end its parent alone holds. The kernel closes that one
    with the parent, and sends the signal that is asked for here (fcntl(2), F_SETSIG): no thread has to wait for it.
    Data in the pipe would send it too, so this is for a rank that has met the others: the parent has written by then.
    """
    parent = multiprocessing.parent_process()
    if parent is None or not hasattr(fcntl, "F_SETSIG"):
        return
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(parent.sentinel, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, fcntl.fcntl(parent.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
    if not parent.is_alive():  # It had ended before the kernel was asked.
        os._exit(1)


def on_rank(function: Callable[[], T]) -> T:
    """Run `function` as one of torchrun's processes, with a process group around it."""
    torch.set_num_threads(1)
    if device().type != "cpu":
        torch.accelerator.set_device_index(int(os.environ["LOCAL_RANK"]))
    backend = "gloo" if device().type == "cpu" else None  # None is the accelerator's own: NCCL on CUDA.
    dist.init_process_group(backend, timeout=timedelta(minutes=2))
    end_with_parent()
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


def on_ranks(function: Callable[[], T], processes: int, imported: Sequence[str] = MODELS) -> list[T]:
    """What `function`, which a module names, returns on each rank.

    Started by torchrun, this process is one of the ranks; all but the first end here, so that one of them prints.
    Otherwise `processes` are started as `torchrun --standalone` starts them, on a free port of this machine. They
    are forked from a server that has imported the modules `imported`, once for all of them, and on Linux they end
    when this process does.
    """
    if "RANK" in os.environ:
        results = on_rank(lambda: gathered(function))
        if os.environ["RANK"] != "0":
            sys.exit()
        return results
    multiprocessing.set_forkserver_preload(list(imported))
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
