"""Describe this machine without importing torch: hardware, driver, package versions."""

import contextlib
import importlib.metadata
import os
import platform
import shutil
import subprocess
from pathlib import Path

from hexapla.examples.evidence import Hardware

# Whose versions a reader needs to judge a run, as they are imported; the distribution's name where that differs.
PACKAGES = {
    "torch": "", "transformers": "", "accelerate": "", "bitsandbytes": "", "torchao": "", "deepspeed": "", "optuna": "",
    "ray": "", "onnx": "", "onnxscript": "", "onnxruntime": "", "optimum": "", "torch_xla": "", "jax": "",
    "tensorflow": "tensorflow-cpu", "tf_keras": "",
}


def describe_hardware(kind: str) -> Hardware | None:
    """The hardware of a kind on this machine: "cpu" always, "gpu" with an NVIDIA driver, "tpu" with a device file.

    None for a kind that this machine lacks.
    """
    if kind == "cpu":
        return Hardware("cpu", processor_name(), os.cpu_count() or 1, memory_bytes())
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


def processor_name() -> str:
    """The processor's name as its maker gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return " ".join((named[0] if named else platform.processor() or platform.machine()).split())


def memory_bytes() -> int:
    """The machine's memory in bytes, rounded down to whole gibibytes, 0 if unknown."""
    try:
        return (os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) >> 30 << 30
    except (ValueError, OSError):
        return 0


def package_versions() -> dict[str, str]:
    """Python's version and those of the packages that matter, if installed."""
    found = {"python": platform.python_version()}
    for package, distribution in PACKAGES.items():
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(distribution or package)
    return found
