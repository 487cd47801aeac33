"""What this machine has: processor, memory, accelerators, and how they are connected."""

# --8<-- [start:cpu]
import os
import platform
import shutil
import subprocess

import torch


def processor() -> dict[str, object]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "architecture": platform.machine(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "logical CPUs": os.cpu_count(),
        "PyTorch's threads": torch.get_num_threads(),
        "memory in GiB": memory // 2**30,
    }


# --8<-- [end:cpu]
# --8<-- [start:gpus]
def accelerators() -> list[str]:
    names = []
    for index in range(torch.cuda.device_count()):
        gpu = torch.cuda.get_device_properties(index)
        names.append(f"{gpu.name}, {gpu.total_memory // 2**30} GiB")
    return names


# --8<-- [end:gpus]
# --8<-- [start:topology]
def topology() -> str:
    if shutil.which("nvidia-smi") is None or not torch.cuda.is_available():
        return ""  # without NVIDIA's driver
    command = ["nvidia-smi", "topo", "--matrix"]
    answer = subprocess.run(command, capture_output=True, text=True)
    return answer.stdout


# --8<-- [end:topology]
def main() -> None:
    for name, value in processor().items():
        print(f"{name}: {value}")
    print("\n".join(accelerators()) or "accelerators: none that PyTorch can use")
    print(topology() or "topology: no NVIDIA GPU")


if __name__ == "__main__":
    main()
