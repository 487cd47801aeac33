"""What this machine has: processor, memory, accelerators, and how they are connected."""

import os
import platform
import shutil
import subprocess

import torch


def processor() -> dict[str, object]:
    """Of the CPU, what PyTorch and the operating system say."""
    # --8<-- [start:cpu]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    found = {
        "architecture": platform.machine(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "cores": os.cpu_count(),
        "PyTorch's threads": torch.get_num_threads(),
        "memory in GiB": memory // 2**30,
    }
    # --8<-- [end:cpu]
    return found


def accelerators() -> list[str]:
    """The name and the memory of every accelerator."""
    # --8<-- [start:gpus]
    names = []
    for index in range(torch.cuda.device_count()):
        gpu = torch.cuda.get_device_properties(index)
        names.append(f"{gpu.name}, {gpu.total_memory // 2**30} GiB")
    # --8<-- [end:gpus]
    return names


def topology() -> str:
    """How the GPUs are connected: NV# is NVLink, PIX to SYS are ways over PCIe; none without NVIDIA's driver."""
    if shutil.which("nvidia-smi") is None or not torch.cuda.is_available():
        return ""
    # --8<-- [start:topology]
    command = ["nvidia-smi", "topo", "--matrix"]
    answer = subprocess.run(command, capture_output=True, text=True)
    # --8<-- [end:topology]
    return answer.stdout


def main() -> None:
    for name, value in processor().items():
        print(f"{name}: {value}")
    print("\n".join(accelerators()) or "accelerators: none that PyTorch can use")
    print(topology() or "topology: no NVIDIA GPU")


if __name__ == "__main__":
    main()
