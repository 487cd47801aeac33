"""The bits of each format are those that PyTorch stores, and their value is the number that is left."""

import math

import pytest
import torch

from snippets.low_precision import bits as snippet

pytestmark = pytest.mark.needs(device="cpu")


@pytest.mark.parametrize(("name", "sizes"), [
    ("fp32", (1, 8, 23)), ("TF32", (1, 8, 10)), ("bf16", (1, 8, 7)), ("fp16", (1, 5, 10)),
    ("FP8 E4M3", (1, 4, 3)), ("FP8 E5M2", (1, 5, 2)), ("FP4 E2M1", (1, 2, 1)),
])
@pytest.mark.parametrize("number", [math.pi, -0.7])
def test_sign_exponent_and_mantissa_give_the_value(name: str, sizes: tuple[int, ...], number: float) -> None:
    stored = snippet.in_every_format(number)[name]
    sign, exponent, mantissa = stored.parts()
    assert tuple(map(len, (sign, exponent, mantissa))) == sizes
    bias, fraction = 2 ** (sizes[1] - 1) - 1, int(mantissa, 2) / 2 ** sizes[2]
    power = max(int(exponent, 2), 1) - bias
    assert (-1) ** int(sign) * ((int(exponent, 2) > 0) + fraction) * 2.0**power == stored.value


def test_tf32_rounds_to_the_nearest_and_keeps_the_range() -> None:
    assert snippet.tf32(1 + 2**-11 + 2**-12).value == 1 + 2**-10
    assert snippet.tf32(1 + 2**-12).value == 1
    assert 0.999 < snippet.tf32(1.0).largest / torch.finfo(torch.float32).max < 1
