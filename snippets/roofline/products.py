"""Matrix products with more and more rows, measured, beside what the roofline allows."""

from _roofline import DTYPE, GPU, SIZE, measured_device, name, print_row, seconds_of_call

# isort: split
# --8<-- [start:measure]
import torch
from law import Device, product, seconds
from rates import device


def measure(rows: int, weight: torch.Tensor, at: Device):
    inner, columns = weight.shape
    x = torch.randn(rows, inner, device=device()).to(weight.dtype)
    measured = seconds_of_call(lambda: x @ weight, calls=20)
    work = product(rows, inner, columns, weight.itemsize, x.itemsize)
    return measured, seconds(work, at)
# --8<-- [end:measure]


def main() -> None:
    at = measured_device()
    columns = 14_336 if GPU else 4096
    weight = torch.randn(4096, columns, device=device()).to(DTYPE)
    print(f"4096 x {columns:,} weights of {SIZE} bytes on {name()}:")
    for rows in (1, 4, 16, 64, 256, 1024, 4096) if GPU else (1, 2, 4, 8, 16, 32):
        print_row(f"{rows:>4} rows", *measure(rows, weight, at))


if __name__ == "__main__":
    main()
