"""Describe this machine without importing torch: hardware, driver, package versions."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
from pathlib import Path

from hexapla.examples.evidence import Hardware

# Instructions that decide which kernels a CPU runs, as Linux names them on x86 and on Arm.
INSTRUCTIONS = ("avx2", "avx512f", "avx512_bf16", "amx_tile", "asimd", "sve", "bf16")


def describe_hardware(kind: str) -> Hardware | None:
    """The hardware of a kind here: "cpu" always, "gpu" with an NVIDIA driver, "tpu" with a device file; else None."""
    if kind == "cpu":
        name = processor_field("model name") or " ".join((platform.processor() or platform.machine()).split())
        return Hardware("cpu", name, os.cpu_count() or 1, memory_bytes())
    if kind == "tpu":
        found = len(list(Path("/dev").glob("accel*")))
        return Hardware("tpu", os.environ.get("TPU_ACCELERATOR_TYPE", "TPU"), found, 0) if found else None
    devices = query_nvidia("name,memory.total") if kind == "gpu" else []
    if not devices:
        return None
    name, mebibytes = devices[0]
    return Hardware("gpu", name, len(devices), int(mebibytes) << 20)


def driver_version(kind: str) -> str:
    """The version of the driver of a kind of hardware, empty for one without."""
    found = query_nvidia("driver_version") if kind == "gpu" else []
    return f"NVIDIA {found[0][0]}" if found else ""


def query_nvidia(fields: str) -> list[list[str]]:
    """Query these fields of each GPU from the NVIDIA driver; empty without one."""
    query = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader,nounits"]
    if shutil.which(query[0]) is None:
        return []
    answer = subprocess.run(query, capture_output=True, text=True, timeout=30, check=False)
    return [] if answer.returncode else [line.split(", ") for line in answer.stdout.splitlines() if line]


def processor_instructions() -> str:
    """Those of the processor's instructions that decide which kernels it runs: `avx2 avx512f`."""
    found = (processor_field("flags") or processor_field("Features")).split()
    return " ".join(each for each in INSTRUCTIONS if each in found)


def processor_field(name: str) -> str:
    """A field of Linux's description of the first processor, empty where there is none."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((" ".join(line.partition(":")[2].split()) for line in lines if line.startswith(name)), "")


def memory_bytes() -> int:
    """The machine's memory in bytes, rounded down to whole gibibytes, 0 if unknown."""
    try:
        return (os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) >> 30 << 30
    except (ValueError, OSError):
        return 0


def installed_packages() -> dict[str, tuple[str, str]]:
    """Distribution and version of every package that can be imported here, and Python's; `google` is no one's own."""
    found = {"python": ("python", platform.python_version())}
    versions = {each.metadata["Name"]: each.version for each in importlib.metadata.distributions()}
    for name, owners in importlib.metadata.packages_distributions().items():
        if len(set(owners)) == 1 and owners[0] in versions:
            found[name] = (owners[0], versions[owners[0]])
    return found
