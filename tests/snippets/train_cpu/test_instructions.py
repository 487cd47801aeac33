"""Without its instructions bf16 is far slower than fp32 on the same CPU; the limit reaches the process."""

import platform

import pytest

from snippets.train_cpu import instructions as snippet

pytestmark = pytest.mark.measures
SAID = "import os; print(1, 2 if os.environ['ONEDNN_MAX_CPU_ISA'] == 'AVX2' else 3)"


def test_the_limit_is_handed_to_the_program() -> None:
    assert snippet.rates(SAID, "AVX2") == (1.0, 2.0)
    assert snippet.rates(SAID, "DEFAULT") == (1.0, 3.0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="AVX2 is an instruction set of x86")
def test_with_avx2_alone_bf16_is_many_times_slower() -> None:
    """Fifty times where it was measured; a busy machine slows both."""
    fp32, bf16 = snippet.rates(snippet.RATES, "AVX2")
    assert bf16 < fp32 / 3


def test_a_program_that_fails_is_an_error() -> None:
    with pytest.raises(snippet.subprocess.CalledProcessError):
        snippet.rates("raise SystemExit(1)", "AVX2")
