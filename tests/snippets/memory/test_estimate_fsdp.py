"""The estimate for several GPUs is near what one rank holds: FSDP2 on fake tensors, with a fake process group."""

from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass_type
from torch.utils._pytree import tree_iter
from torch.utils.weak import WeakIdKeyDictionary

from snippets.memory import compare
from snippets.memory.estimate import Shape, training

RANKS = 8


class LiveBytes(TorchDispatchMode):
    """The most bytes that storages had together since the last reset; FSDP empties a storage and fills it again."""

    def __init__(self) -> None:
        super().__init__()
        self.storages = WeakIdKeyDictionary()
        self.most = 0

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(map(is_traceable_wrapper_subclass_type, types)):
            return NotImplemented
        result = operator(*args, **(kwargs or {}))
        for tensor in tree_iter((result, args, kwargs)):
            if isinstance(tensor, torch.Tensor) and not is_traceable_wrapper_subclass_type(type(tensor)):
                self.storages.setdefault(tensor.untyped_storage(), True)
        self.most = max(self.most, sum(storage.nbytes() for storage in list(self.storages.keys())))
        return result


def peak_on_rank(shape: Shape, length: int, precision: str, checkpointing: bool) -> int:
    """Bytes at the peak of the second step, in the types that Accelerate gives FSDP2 for mixed precision."""
    types = dict.fromkeys(("param_dtype", "reduce_dtype", "output_dtype"), torch.bfloat16)
    policy = MixedPrecisionPolicy(**types if precision == "mixed" else {})
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    try:
        mesh = dist.init_device_mesh("cpu", (RANKS,))
        kernel = compare.kernel_of_a_gpu(shape, precision)
        with kernel, compare.nothing_packed(), FakeTensorMode(allow_non_fake_inputs=True), LiveBytes() as live:
            model = compare.decoder(shape, torch.bfloat16 if precision == "bf16" else torch.float32).train()
            if checkpointing:
                model.activation_checkpointing_enable()
            for layer in model.model.layers:
                fully_shard(layer, mesh=mesh, mp_policy=policy)
            fully_shard(model, mesh=mesh, mp_policy=policy)
            optimizer = torch.optim.AdamW(model.parameters(), fused=True)
            for _ in range(2):
                live.most = 0
                tokens = torch.zeros(1, length, dtype=torch.long)
                with torch.autocast("cpu", torch.bfloat16, enabled=precision == "mixed"):
                    loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
                loss.backward()
                del loss
                optimizer.step()
                optimizer.zero_grad()
    finally:
        dist.destroy_process_group()
    return live.most


@pytest.mark.parametrize(("shape", "length", "precision", "checkpointing"), [
    (Shape(32_000, 2048, 5632, 4, 16, 4, 128), 128, "mixed", True),  # many words, few tokens: gathered tables
    (Shape(1000, 2048, 7168, 4, 16, 4, 128), 128, "mixed", True),  # few words: whole layers
    (Shape(8000, 1024, 3584, 4, 16, 4, 64, tied=True), 128, "bf16", False),
    (Shape(32_000, 1024, 3584, 4, 16, 4, 64), 512, "fp32", True),
    (Shape(32_000, 512, 1536, 3, 8, 2, 64), 2048, "mixed", False),  # the loss
])
def test_the_estimate_for_several_gpus_is_within_five_percent(
    shape: Shape, length: int, precision: str, checkpointing: bool
) -> None:
    _, held = training(shape, 1, length, precision, checkpointing, ranks=RANKS)
    simulated = peak_on_rank(shape, length, precision, checkpointing)
    assert sum(held.values()) == pytest.approx(simulated, rel=0.05)
