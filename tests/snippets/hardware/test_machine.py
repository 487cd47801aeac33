"""What is said of the machine is what the kernel and PyTorch say elsewhere."""

from pathlib import Path

import pytest
import torch

from snippets.hardware import machine as snippet

pytestmark = pytest.mark.measures
MEMINFO = Path("/proc/meminfo")


def test_processors_and_threads() -> None:
    found = snippet.processor()
    assert found["logical CPUs"] == torch.multiprocessing.cpu_count()
    torch.set_num_threads(2)
    assert snippet.processor()["PyTorch's threads"] == 2


@pytest.mark.skipif(not MEMINFO.is_file(), reason="compares with /proc/meminfo, which is Linux's")
def test_memory_is_the_kernels() -> None:
    kibibytes = int(MEMINFO.read_text().split()[1])
    assert snippet.processor()["memory in GiB"] == kibibytes * 1024 // 2**30


def test_every_gpu_is_named() -> None:
    assert len(snippet.accelerators()) == torch.cuda.device_count()
    assert bool(snippet.topology()) == torch.cuda.is_available()
