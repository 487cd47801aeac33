"""What this machine does: the rate of a matrix product, and the bandwidth of its memory, measured."""

import statistics
import time
from collections.abc import Callable

import torch


def device() -> torch.device:
    """The accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The median time of `work`, once the first call is over."""
    # --8<-- [start:seconds]
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        work()
        if torch.accelerator.is_available():
            torch.accelerator.synchronize()  # A GPU's call returns at once.
        times.append(time.perf_counter() - start)
    median = statistics.median(times[1:])
    # --8<-- [end:seconds]
    return median


def matmul_rate(size: int, dtype: torch.dtype) -> float:
    """Operations a second of the product of two square matrices."""
    # --8<-- [start:matmul]
    a = torch.ones(size, size, dtype=dtype, device=device())
    operations = 2 * size**3  # a product and a sum for each of size**3
    rate = operations / seconds(lambda: a @ a)
    # --8<-- [end:matmul]
    return rate


def copy_rate(size: int) -> float:
    """Bytes a second that a copy of `size` bytes reads and writes."""
    # --8<-- [start:copy]
    source = torch.ones(size, dtype=torch.uint8, device=device())
    target = torch.empty_like(source)
    rate = 2 * size / seconds(lambda: target.copy_(source))
    # --8<-- [end:copy]
    return rate


def two_digits(number: float) -> str:
    return f"{float(f'{number:.1e}'):,g}"


def main() -> None:
    large = torch.accelerator.is_available()
    size = 8192 if large else 1024
    print(f"On {device().type}, medians of five, two digits:")
    for dtype in (torch.float32, torch.bfloat16):
        print(f"  {dtype}: {two_digits(matmul_rate(size, dtype) / 1e9)} billion operations a second")
    print(f"  memory: {two_digits(copy_rate(2**30 if large else 2**27) / 1e9)} GB a second")


if __name__ == "__main__":
    main()
