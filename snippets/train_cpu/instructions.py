"""Instructions for bf16: the rates of matrix products with all that this CPU has, and with AVX2 alone."""

import os
import subprocess
import sys

# isort: split
# --8<-- [start:rate]
import time

import torch


# Operations a second of one core, by the fastest of five products.
def matmul_rate(dtype, size=1024):
    torch.set_num_threads(1)
    a = torch.randn(size, size).to(dtype)
    times = []
    for _ in range(5):
        start = time.process_time()
        a @ a
        times.append(time.process_time() - start)
    return 2 * size**3 / min(times)


# --8<-- [end:rate]
def print_rates() -> None:
    """The end of the file rates.py."""
    # --8<-- [start:print]
    for dtype in (torch.float32, torch.bfloat16):
        print(f"{dtype}: {matmul_rate(dtype) / 1e9:.3g} billion a second")
    # --8<-- [end:print]


def rates(instructions: str) -> list[float]:
    """The rates of fp32 and bf16 in a process in which oneDNN has these instructions."""
    limited = os.environ | {"ONEDNN_MAX_CPU_ISA": instructions}
    lines = subprocess.check_output([sys.executable, __file__, "--rates"], env=limited, text=True)
    return [float(line.split()[1]) for line in lines.splitlines()]


def main() -> None:
    if "--rates" in sys.argv:
        print_rates()
        return
    for name, instructions in (("all instructions", "DEFAULT"), ("AVX2 alone", "AVX2")):
        fp32, bf16 = rates(instructions)
        print(f"{name:17} bf16 makes {bf16 / fp32:.1g} times as many operations a second as fp32")


if __name__ == "__main__":
    main()
