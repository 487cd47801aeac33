"""The estimate for several GPUs is near what one rank holds: FSDP2 on fake tensors, with a fake process group."""

from dataclasses import replace

import pytest
import torch.distributed as dist

from snippets.memory import compare_fsdp as snippet
from snippets.memory.compare import relative_error
from snippets.memory.estimate import Shape, training

SMALL = Shape(1000, 2048, 7168, 4, 16, 4, 128)


@pytest.mark.parametrize(("shape", "length", "precision", "checkpointing"), [
    (Shape(32_000, 2048, 5632, 4, 16, 4, 128), 128, "mixed", True),  # many words, few tokens: gathered tables
    (SMALL, 128, "mixed", True),  # few words: whole layers
    (Shape(8000, 1024, 3584, 4, 16, 4, 64, tied=True), 128, "bf16", False),
    (Shape(32_000, 1024, 3584, 4, 16, 4, 64), 512, "fp32", True),
    (Shape(32_000, 512, 1536, 3, 8, 2, 64), 2048, "mixed", False),  # the loss
])
def test_the_estimate_for_several_gpus_is_within_three_percent(
    shape: Shape, length: int, precision: str, checkpointing: bool
) -> None:
    """`python -m benchmarks.estimate` does the same on more."""
    _, held = training(shape, 1, length, precision, checkpointing, ranks=8)
    simulated = snippet.simulated_fsdp(shape, 1, length, precision, checkpointing=checkpointing)
    assert abs(relative_error(held, simulated)) < 0.03


def test_a_rank_holds_its_share_between_the_layers_and_no_process_group_is_left() -> None:
    two, eight = (snippet.simulated_fsdp(replace(SMALL, layers=2), 1, 16, ranks=ranks) for ranks in (2, 8))
    assert two["weights"] == 4 * eight["weights"] and two["optimizer"] == 2 * two["weights"]
    assert not dist.is_initialized()
