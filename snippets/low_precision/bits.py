"""One number in every format: the bits of the sign, the exponent and the mantissa, and what is left of the number."""

import math
from typing import NamedTuple

import torch
from torchao.prototype.mx_formats.kernels import f4_unpacked_to_f32, f32_to_f4_unpacked

NUMBER = math.pi
INTEGERS = {32: torch.int32, 16: torch.int16, 8: torch.uint8}
FORMATS = {
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "FP8 E4M3": torch.float8_e4m3fn,
    "FP8 E5M2": torch.float8_e5m2,
}


class Stored(NamedTuple):
    """A number in a format: its bits, of which `mantissa` are the last; its value; the format's largest number."""

    bits: str
    mantissa: int
    value: float
    largest: float

    def parts(self) -> tuple[str, str, str]:
        """The sign, the exponent, the mantissa."""
        return self.bits[0], self.bits[1 : -self.mantissa], self.bits[-self.mantissa :]


def stored(number: float, dtype: torch.dtype) -> Stored:
    tensor, limits = torch.tensor(number).to(dtype), torch.finfo(dtype)
    integer = tensor.view(INTEGERS[limits.bits]).item() % 2**limits.bits
    return Stored(f"{integer:0{limits.bits}b}", round(-math.log2(limits.eps)), tensor.item(), limits.max)


def tf32(number: float, mantissa: int = 10) -> Stored:
    """As tensor cores read an fp32 number: its first 19 bits, rounded to the nearest."""
    dropped = 23 - mantissa
    integer = torch.tensor(number).view(torch.int32).item() % 2**32 + 2 ** (dropped - 1)
    value = torch.tensor([integer >> dropped << dropped]).to(torch.int32).view(torch.float32).item()
    return Stored(f"{integer >> dropped:0{9 + mantissa}b}", mantissa, value, (2 - 2.0**-mantissa) * 2.0**127)


def fp4(number: float) -> Stored:
    """Four bits, E2M1, as in MXFP4 and NVFP4 without the scale of the block."""
    code = f32_to_f4_unpacked(torch.tensor([number]))
    largest = f4_unpacked_to_f32(torch.tensor([0b0111], dtype=torch.uint8))
    return Stored(f"{code.item():04b}", 1, f4_unpacked_to_f32(code).item(), largest.item())


def in_every_format(number: float) -> dict[str, Stored]:
    found = {name: stored(number, dtype) for name, dtype in FORMATS.items()}
    first, *others = found.items()
    return dict([first, ("TF32", tf32(number)), *others, ("FP4 E2M1", fp4(number))])


def main() -> None:
    print(f"{NUMBER:.9f} in every format: sign, exponent, mantissa, the number, the largest number")
    for name, each in in_every_format(NUMBER).items():
        print(f"{name:9}", *each.parts(), f"{each.value:.9g} {each.largest:.6g}")


if __name__ == "__main__":
    main()
