"""What machine this is, found out without importing torch."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
from pathlib import Path

from hexapla.examples.evidence import Hardware

# Whose versions a reader needs to judge a run.
PACKAGES = ("torch", "transformers", "accelerate", "bitsandbytes")


def describe(kind: str) -> Hardware | None:
    """The hardware of a kind on this machine: "cpu" always, "gpu" where the NVIDIA driver answers, else None."""
    if kind == "cpu":
        return Hardware("cpu", processor(), os.cpu_count() or 1, memory())
    query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    if kind != "gpu" or shutil.which(query[0]) is None:
        return None
    answer = subprocess.run(query, capture_output=True, text=True, timeout=30, check=False)
    devices = [line.split(", ") for line in answer.stdout.splitlines() if ", " in line]
    if answer.returncode or not devices:
        return None
    name, mebibytes = devices[0]
    return Hardware("gpu", name, len(devices), int(mebibytes) << 20)


def processor() -> str:
    """The processor's name as its maker gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return " ".join((named[0] if named else platform.processor() or platform.machine()).split())


def memory() -> int:
    """The machine's memory in bytes, rounded down to whole gibibytes, 0 where the system does not tell."""
    try:
        return (os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) >> 30 << 30
    except (ValueError, OSError):
        return 0


def versions() -> dict[str, str]:
    """Python's version and those of the packages that matter, where they are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
