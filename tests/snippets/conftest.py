"""What the tests of snippets share: imports as a script sees them, the markers, a clean state."""

import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from multiprocessing import forkserver
from pathlib import Path

import pytest
from hexapla.examples.markers import CORE, read_requirements

SNIPPETS = Path(__file__).parents[2] / "snippets"
HERE = os.environ.get("HEXAPLA_ENVIRONMENT", CORE)


def cuda_devices() -> int:
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def enough_devices(wanted: int) -> bool:
    """On a CPU a device is a process, and there are as many as one likes."""
    return find_spec("torch") is None or (found := cuda_devices()) == 0 or found >= wanted


# What a test may need: (whether this machine has it, what the skip says).
NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "cuda": (lambda: cuda_devices() > 0, "needs a CUDA device, and PyTorch finds none here"),
    "tpu": (lambda: any(Path("/dev").glob("accel*")), "needs a TPU, and there is none here"),
    "c++": (lambda: shutil.which("c++") is not None, "needs a C++ compiler, and there is no `c++` on the path"),
    "mpi": (lambda: shutil.which("mpirun") is not None, "needs MPI, and there is no `mpirun` on the path"),
    "deepspeed": (lambda: find_spec("deepspeed") is not None, "needs the package deepspeed, which is not installed"),
}


class Elsewhere(pytest.File):
    """The tests of another environment: they cannot be imported in this one, and are told as skipped."""

    def collect(self) -> Iterator[pytest.Item]:
        yield Skipped.from_parent(self, name="environment")


class Skipped(pytest.Item):
    """What stands for the tests of another environment."""

    def runtest(self) -> None:
        environment = read_requirements(self.path.read_text(encoding="utf-8")).environment
        pytest.skip(f"needs the environment {environment}: make test-environments")


def pytest_configure() -> None:
    # `python snippets/train_one/x.py` finds _tiny.py beside itself; so does a test.
    sys.path[:0] = [str(folder) for folder in sorted(SNIPPETS.iterdir()) if any(folder.glob("*.py"))]


def pytest_collection_finish() -> None:
    # A process has one fork server. Were it started for something else, each rank would have to import torch itself.
    if HERE == CORE and "_ranks" in sys.modules:  # Some of these tests have ranks.
        multiprocessing.set_forkserver_preload(["tests.snippets.fork_server"])
        forkserver.ensure_running()


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Leave the modules of other environments unimported."""
    if read_requirements(module_path.read_text(encoding="utf-8")).environment == HERE:
        return None
    return Elsewhere.from_parent(parent, path=module_path)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for name in marker.args:
            available, reason = NEEDS[name]
            if not available():
                pytest.skip(reason)
        devices = marker.kwargs.get("devices", 1)
        if not enough_devices(devices):
            pytest.skip(f"needs {devices} devices, and PyTorch finds {cuda_devices()}")


@pytest.fixture(autouse=True)
def clean_state() -> Iterator[None]:
    """One thread, and no precision, compiler, Accelerate or bitsandbytes settings left over from the test before."""
    if HERE != CORE:
        yield
        return
    import torch
    from accelerate.state import AcceleratorState

    torch.set_num_threads(1)
    precision = torch.backends.fp32_precision
    matmul = torch.backends.cuda.matmul.fp32_precision
    convolution = torch.backends.cudnn.conv.fp32_precision
    yield
    torch.set_float32_matmul_precision("highest")  # the old switch; what it does to the new ones is put right below
    torch.backends.fp32_precision = precision
    torch.backends.cuda.matmul.fp32_precision = matmul
    torch.backends.cudnn.conv.fp32_precision = convolution
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    if inductor := sys.modules.get("torch._inductor.config"):
        inductor.freezing = False
    if bitsandbytes := sys.modules.get("bitsandbytes"):
        # What a test's Trainer overrides for its embeddings, 0.50 applies to later models, by position and by address.
        bitsandbytes.optim.GlobalOptimManager.get_instance().initialize()
    AcceleratorState._reset_state(reset_partial_state=True)
