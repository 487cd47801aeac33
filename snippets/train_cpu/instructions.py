"""Instructions for bf16: the rates of matrix products with all that this CPU has, and with AVX2 alone."""

# --8<-- [start:imports]
import os
import subprocess
import sys

# --8<-- [end:imports]
RATES = """
import time
import torch

torch.set_num_threads(1)  # so that the seconds of the process are those of the product
for dtype in (torch.float32, torch.bfloat16):
    a = torch.randn(512, 512).to(dtype)
    times = []
    for _ in range(5):
        start = time.process_time()
        a @ a
        times.append(time.process_time() - start)
    print(2 * 512**3 / min(times))
"""


# --8<-- [start:limit]
# oneDNN, which multiplies matrices for PyTorch, can be told to use less.
def rates(program, instructions):
    limited = os.environ | {"ONEDNN_MAX_CPU_ISA": instructions}
    command = [sys.executable, "-c", program]
    lines = subprocess.check_output(command, env=limited, text=True)
    fp32, bf16 = map(float, lines.split())
    return fp32, bf16


# --8<-- [end:limit]


def main() -> None:
    for name, instructions in (("all instructions", "DEFAULT"), ("AVX2 alone", "AVX2")):
        fp32, bf16 = rates(RATES, instructions)
        print(f"{name:17} bf16 makes {bf16 / fp32:.1g} times as many operations a second as fp32")


if __name__ == "__main__":
    main()
