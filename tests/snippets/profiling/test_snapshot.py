"""Memory is told by operator on a CPU; the snapshot of allocations exists on CUDA alone."""

from pathlib import Path

import pytest
import torch
from _profiling import batches, tiny_model

from snippets.profiling import snapshot as snippet


@pytest.mark.skipif(torch.cuda.is_available(), reason="reads the memory of the CPU")
def test_the_logits_are_among_what_products_allocate() -> None:
    sizes = dict(snippet.memory_by_operator(tiny_model(), batches(2)[0]))
    tokens, vocabulary = 4 * 64, 256
    assert sizes["aten::mm"] >= tokens * vocabulary * 4
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)


@pytest.mark.skipif(torch.cuda.is_available(), reason="is about machines without a GPU")
def test_without_cuda_there_is_no_snapshot(tmp_path: Path) -> None:
    with pytest.raises((AttributeError, RuntimeError, AssertionError)):
        snippet.snapshot(tiny_model(), batches(1)[0], str(tmp_path / "memory.pickle"))


@pytest.mark.needs("cuda")
def test_the_snapshot_is_written(tmp_path: Path) -> None:
    snippet.snapshot(tiny_model(), batches(1)[0], str(tmp_path / "memory.pickle"))
    assert (tmp_path / "memory.pickle").stat().st_size > 1000
