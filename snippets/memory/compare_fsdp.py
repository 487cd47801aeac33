"""The estimate for several GPUs beside the simulation: one rank of FSDP2 on fake tensors, the others send nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import torch
import torch.distributed as dist
from compare import OPTIMIZERS, decoder, kernel_of_a_gpu, nothing_packed, show
from estimate import MODELS, Shape, training
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from train_70b import ResizedMemory, local
from transformers import PreTrainedModel

from peak import FakeTensorMode


@contextmanager
def fake_ranks(number: int) -> Iterator[DeviceMesh]:
    """A process group of one rank of many, whose collectives return at once."""
    dist.init_process_group("fake", rank=0, world_size=number, store=FakeStore())
    try:
        yield dist.init_device_mesh("cpu", (number,))
    finally:
        dist.destroy_process_group()


def shard(model: PreTrainedModel, mesh: DeviceMesh, precision: str) -> nn.Module:
    """Each layer and the model, in the types that Accelerate gives FSDP2 for mixed precision."""
    types = dict.fromkeys(("param_dtype", "reduce_dtype", "output_dtype"), torch.bfloat16)
    policy = MixedPrecisionPolicy(**types if precision == "mixed" else {})
    for unit in (*model.model.layers, model):
        fully_shard(unit, mesh=mesh, mp_policy=policy)
    return model


def simulated_rank(make: Callable[[torch.dtype], PreTrainedModel], batch: int, length: int, precision: str = "fp32",
                   checkpointing: bool = False, accumulation: bool = False, optimizer: str = "adamw",
                   ranks: int = 8) -> dict[str, int]:
    """Bytes by kind at the peak of the step of one rank, of a model that `make` makes in a type."""
    memory = ResizedMemory()
    with fake_ranks(ranks) as mesh, FakeTensorMode(allow_non_fake_inputs=True):
        model = make(torch.bfloat16 if precision == "bf16" else torch.float32).train()
        if checkpointing:
            model.activation_checkpointing_enable()
        shard(model, mesh, precision)
        steps = OPTIMIZERS[optimizer](model.parameters())
        for each in model.parameters():
            each.grad = torch.zeros_like(each)
        steps.step()
        steps.zero_grad()
        memory.label("weights", local(model.parameters()))
        state = (each for one in steps.state.values() for each in one.values() if each.dim() > 0)
        memory.label("optimizer", local(state))
        with memory:
            for _ in range(2 if accumulation else 1):
                tokens = torch.zeros(batch, length, dtype=torch.long)
                with torch.autocast("cpu", torch.bfloat16, enabled=precision == "mixed"):
                    loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
                loss.backward()
                del loss
            steps.step()
        memory.label("gradients", local(each.grad for each in model.parameters()))
    return memory.peak()


@nothing_packed()
def simulated_fsdp(shape: Shape, batch: int, length: int, precision: str = "fp32", **step: object) -> dict[str, int]:
    """Bytes by kind at the peak of the step of one rank that `training` estimates."""
    with kernel_of_a_gpu(shape, precision):
        return simulated_rank(partial(decoder, shape), batch, length, precision, **step)


def main() -> None:
    print(f"{'GB at the peak, on one of 8 ranks':48}{'simulated':>10}{'estimated':>10}{'percent':>10}")
    for name in ("Qwen3 0.6B", "Llama 3.2 3B"):
        for precision in ("bf16", "mixed"):
            step = (MODELS[name], 4, 512, precision)
            show(f"{name}, {precision}", simulated_fsdp(*step, ranks=8), training(*step, ranks=8)[1])


if __name__ == "__main__":
    main()
