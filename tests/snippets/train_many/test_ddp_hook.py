"""With the hook that a page names, DDP sends and sums the gradients in bf16; they come back in fp32."""

from unittest import mock

import pytest
import torch
import torch.distributed as dist
from _train_many import on_ranks, tiny_model, tokens
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

pytestmark = pytest.mark.needs(devices=2)
PROCESSES, ROWS = 2, 8


def sent_by_the_hook() -> tuple[dict[torch.dtype, int], int, float]:
    """Bytes that are summed, by type; those of the gradients, in fp32; how far these are from the sums in fp32."""
    rows, found = tokens(rows=ROWS)[dist.get_rank() :: PROCESSES], {}
    sent: dict[torch.dtype, int] = {}
    summed = dist.all_reduce

    def counted(tensor: torch.Tensor, *args: object, **options: object) -> object:
        sent[tensor.dtype] = sent.get(tensor.dtype, 0) + tensor.nbytes
        return summed(tensor, *args, **options)

    for hooked in (False, True):
        ddp = DistributedDataParallel(tiny_model())
        if hooked:
            # By its own name, DDP takes it on GPUs alone.
            ddp.register_comm_hook(None, lambda group, bucket: default_hooks.bf16_compress_hook(group, bucket))
        with mock.patch.object(dist, "all_reduce", counted):
            ddp(input_ids=rows, labels=rows).loss.backward()
        found[hooked] = torch.cat([parameter.grad.flatten() for parameter in ddp.parameters()])
    assert {each.dtype for each in found.values()} == {torch.float32}
    return sent, found[True].nbytes, ((found[True] - found[False]).norm() / found[False].norm()).item()


@pytest.mark.claim(
    "fsdp2#data-parallelism",
    "torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py::bf16_compress_hook",
)
def test_a_hook_sends_and_sums_half_of_the_bytes_in_bf16() -> None:
    for sent, gradients, difference in on_ranks(sent_by_the_hook, PROCESSES):
        assert sent == {torch.bfloat16: gradients // 2}
        assert 1e-4 < difference < 1e-2
