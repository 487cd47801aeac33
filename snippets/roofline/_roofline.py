"""What the measurements of this folder share: the device's two rates, and the time of one call among many."""

import sys
from collections.abc import Callable
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent.parent / "hardware"))
from law import Device
from rates import copy_rate, device, matmul_rate, seconds

GPU = torch.accelerator.is_available()
DTYPE = torch.bfloat16 if GPU else torch.float32  # what the device multiplies fastest
SIZE = DTYPE.itemsize


def measured_device() -> Device:
    """The rates of this machine; of one core, if it is a CPU."""
    torch.set_num_threads(1)
    large = 8192 if GPU else 2048
    return Device(matmul_rate(large, DTYPE), copy_rate(2**31 if GPU else 2**28))


def seconds_of_call(call: Callable[[], object], calls: int) -> float:
    """Seconds of one call: of several in a row, so that a GPU is never idle between them."""
    return seconds(lambda: [call() for _ in range(calls)], repeats=3) / calls


def name() -> str:
    """What was measured."""
    return f"{device().type}, {DTYPE}" + ("" if GPU else ", one core")


def print_row(label: str, measured: float, law: float) -> None:
    """A measured time, the law's, and their ratio."""
    ratio = measured / law
    print(f"  {label}: {1e3 * measured:>9.3f} ms measured, {1e3 * law:>9.3f} ms by the law, {ratio:>5.2f} times")
