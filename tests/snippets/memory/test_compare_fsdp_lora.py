"""The estimate of LoRA on several GPUs is near what one rank holds: FSDP2 on fake tensors, a fake process group."""

import pytest
import torch.distributed as dist

from snippets.memory import compare_fsdp_lora as snippet
from snippets.memory.compare import relative_error
from snippets.memory.estimate import Shape
from snippets.memory.estimate_fsdp_lora import training_of_fsdp_lora

SMALL = Shape(1000, 1024, 3584, 3, 16, 4, 64)


@pytest.mark.parametrize(("shape", "step"), [
    (Shape(32_000, 1024, 3584, 2, 16, 4, 64), {"length": 64}),  # tables, gathered
    (SMALL, {"length": 64, "checkpointing": True, "rank": 64, "accumulation": True}),  # layers, gathered
    (Shape(1000, 512, 1536, 3, 16, 4, 128, qk_norm=True), {"length": 1024, "checkpointing": True}),  # attention
    (Shape(8000, 512, 1536, 3, 8, 2, 64, tied=True), {"length": 1024}),  # the loss
])
def test_the_estimate_is_within_three_percent(shape: Shape, step: dict) -> None:
    simulated = snippet.simulated_fsdp_lora(shape, 1, **step)
    assert abs(relative_error(training_of_fsdp_lora(shape, 1, **step)[1], simulated)) < 0.03
    assert not dist.is_initialized()


def test_a_rank_holds_its_share_of_frozen_weights_and_adapters() -> None:
    simulated = snippet.simulated_fsdp_lora(SMALL, 1, 16, optimizer="adamw", accumulation=True, ranks=4)
    estimated = training_of_fsdp_lora(SMALL, 1, 16, accumulation=True, ranks=4)[1]
    for part in ("weights", "gradients", "optimizer"):
        assert simulated[part] == estimated[part]
