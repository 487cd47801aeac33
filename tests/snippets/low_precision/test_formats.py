"""Blocks keep an outlier to themselves, one scale for all does not; fewer bits round more."""

import pytest
import torch

from snippets.low_precision import formats as snippet

pytestmark = pytest.mark.needs(device="cpu")


@pytest.mark.parametrize(("name", "least", "most"), [
    ("FP8, one scale", 0.01, 0.04), ("MXFP8", 0.01, 0.04), ("NVFP4", 0.06, 0.12), ("MXFP4", 0.08, 0.15),
])
def test_the_error_is_that_of_the_bits(name: str, least: float, most: float) -> None:
    matrix = snippet.weight(1.0)
    assert least < snippet.error(snippet.FORMATS[name][1](matrix), matrix) < most


def test_an_outlier_spoils_one_scale_for_all_and_of_the_blocks_only_its_own() -> None:
    matrix, plain = snippet.weight(100_000.0), snippet.weight(1.0)
    assert snippet.error(snippet.fp8(matrix), matrix) > 4 * snippet.error(snippet.fp8(plain), plain)
    for name in ("MXFP8", "MXFP4"):
        rounding = snippet.FORMATS[name][1]
        assert snippet.error(rounding(matrix), matrix) < 1.1 * snippet.error(rounding(plain), plain) + 0.03


def test_mx_scales_are_powers_of_two() -> None:
    ones = torch.full((1, 32), 3.0, dtype=torch.bfloat16)
    packed = snippet.MXTensor.to_mx(ones, torch.float8_e4m3fn, 32)
    assert packed.scale.dtype == torch.float8_e8m0fnu
    assert packed.scale.numel() == 1


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float4_e2m1fn_x2])
def test_an_mx_block_has_32_numbers(dtype: torch.dtype) -> None:
    row = torch.ones(1, 64, dtype=torch.bfloat16)
    row[0, 0] = 2.0**30
    assert snippet.mx(row, dtype)[0, 1:].tolist() == [0.0] * 31 + [1.0] * 32


def test_the_scale_of_the_matrix_keeps_nvfp4_right_for_numbers_of_any_size() -> None:
    matrix = snippet.weight(1.0)
    small = matrix * 2.0**-20
    expected = snippet.error(snippet.nvfp4(matrix), matrix)
    assert snippet.error(snippet.nvfp4(small), small) == pytest.approx(expected, rel=0.02)
