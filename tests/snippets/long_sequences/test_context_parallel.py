"""PyTorch's context parallelism has no kernel for CPUs, so the page shows no program for it."""

import pytest
import torch
from _long_sequences import tiny_model
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


@pytest.mark.claim(
    "long_sequences#context-parallelism", "transformers/masking_utils.py::find_packed_sequence_indices"
)
@pytest.mark.parametrize(("positions", "masked"), [([0, 1, 2, 3, 12, 13, 14, 15], True), ([*range(8)], False)])
def test_a_ranks_positions_make_transformers_build_a_mask(
    positions: list[int], masked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first and the last quarter of sixteen tokens, as context parallelism gives them to the first of two ranks."""
    original, masks = torch.nn.functional.scaled_dot_product_attention, []

    def attention(*inputs, attn_mask=None, **options):
        masks.append(attn_mask is not None)
        return original(*inputs, attn_mask=attn_mask, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", attention)
    tokens = torch.arange(1, 9)[None]
    model = tiny_model()
    model(input_ids=tokens.to(model.device), position_ids=torch.tensor([positions]).to(model.device), use_cache=False)
    assert set(masks) == {masked}
