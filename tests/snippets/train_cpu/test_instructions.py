"""Without its instructions bf16 is far slower than fp32 on the same CPU; the limit reaches the process."""

import platform

import pytest
import torch

from snippets.train_cpu import instructions as snippet

pytestmark = pytest.mark.measures


def test_the_rate_is_that_of_the_fastest_product(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0, 3, 3, 4, 4, 9, 9, 12, 12, 20])  # seconds before and after each: the second one took 1
    monkeypatch.setattr(snippet.time, "process_time", lambda: next(clock))
    assert snippet.matmul_rate(torch.float32, size=8) == 2 * 8**3


@pytest.mark.skipif(platform.machine() != "x86_64", reason="AVX2 is an instruction set of x86")
def test_with_avx2_alone_bf16_is_many_times_slower() -> None:
    """Fifty times where it was measured; a busy machine slows both."""
    fp32, bf16 = snippet.rates("AVX2")
    assert bf16 < fp32 / 3
