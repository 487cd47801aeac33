"""PyTorch's context parallelism has no kernel for CPUs, so the page shows no program for it."""

import pytest
import torch
from _ranks import on_ranks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.experimental import context_parallel

pytestmark = pytest.mark.needs(devices=2)


def attend() -> str:
    """What happens to attention whose inputs are split over two ranks by their length."""
    query, key, value = (torch.randn(1, 4, 16, 8) for _ in range(3))
    mesh = init_device_mesh("cpu", (2,))
    try:
        with context_parallel(mesh, buffers=[query, key, value], buffer_seq_dims=[2, 2, 2]):
            torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    except NotImplementedError as error:
        return str(error)
    return "it ran"


@pytest.mark.skipif(torch.cuda.is_available(), reason="is about machines without a GPU")
def test_the_fused_kernel_for_cpus_is_not_supported() -> None:
    for seen in on_ranks(attend, 2):
        assert "_scaled_dot_product_flash_attention_for_cpu" in seen
