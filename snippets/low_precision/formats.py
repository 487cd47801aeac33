"""What formats of 8 and 4 bits do to a matrix: bits per number and rounding error, with and without an outlier."""

# --8<-- [start:formats]
import torch
from torchao.prototype.mx_formats.mx_tensor import MXTensor
from torchao.prototype.mx_formats.nvfp4_tensor import (
    NVFP4Tensor,
    per_tensor_amax_to_scale,
)


def fp8(weight: torch.Tensor) -> torch.Tensor:
    largest = torch.finfo(torch.float8_e4m3fn).max
    scale = weight.abs().max().float() / largest
    return (weight / scale).to(torch.float8_e4m3fn).float() * scale


# Blocks of 32 share a scale that is a power of two.
def mx(weight: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return MXTensor.to_mx(weight, dtype, 32).dequantize(torch.float32)


# Blocks of 16 share a scale in FP8, and the matrix one in fp32.
def nvfp4(weight: torch.Tensor) -> torch.Tensor:
    scale = per_tensor_amax_to_scale(weight.abs().max())
    packed = NVFP4Tensor.to_nvfp4(weight, per_tensor_scale=scale)
    return packed.dequantize(torch.float32)
# --8<-- [end:formats]


FORMATS = {
    "FP8, one scale": (8, fp8),
    "MXFP8": (8 + 8 / 32, lambda weight: mx(weight, torch.float8_e4m3fn)),
    "NVFP4": (4 + 8 / 16, nvfp4),
    "MXFP4": (4 + 8 / 32, lambda weight: mx(weight, torch.float4_e2m1fn_x2)),
}


def weight(outlier: float) -> torch.Tensor:
    """Numbers of a normal distribution, and one that is much larger."""
    matrix = torch.randn(128, 256, generator=torch.Generator().manual_seed(0))
    matrix[0, 0] = outlier
    return matrix.to(torch.bfloat16)


def error(rounded: torch.Tensor, matrix: torch.Tensor) -> float:
    """The relative error of all numbers but the outlier."""
    difference = (rounded.float() - matrix.float()).flatten()[1:]
    return (difference.norm() / matrix.float().flatten()[1:].norm()).item()


def main() -> None:
    print("Relative rounding error of normally distributed weights")
    for name, (bits, rounding) in FORMATS.items():
        errors = [error(rounding(matrix), matrix) for matrix in (weight(1.0), weight(100_000.0))]
        print(f"{name + ':':<16} {bits:>4.2f} bits, {errors[0]:.3f}; beside one outlier of 100,000: {errors[1]:.3f}")


if __name__ == "__main__":
    main()
