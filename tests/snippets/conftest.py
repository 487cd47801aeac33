"""What the tests of snippets share: imports as a script sees them, the `needs` marker, a clean state."""

import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

SNIPPETS = Path(__file__).parents[2] / "snippets"


def has_cuda() -> bool:
    import torch

    return torch.cuda.is_available()


# What a test may need: (whether this machine has it, what the skip says).
NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "cuda": (has_cuda, "needs a CUDA device, and PyTorch finds none here"),
    "c++": (lambda: shutil.which("c++") is not None, "needs a C++ compiler, and there is no `c++` on the path"),
    "deepspeed": (lambda: find_spec("deepspeed") is not None, "needs the package deepspeed, which is not installed"),
}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"needs(name): skip where this machine lacks it; one of {', '.join(NEEDS)}")
    # `python snippets/train_one/x.py` finds _tiny.py beside itself; so does a test.
    sys.path[:0] = [str(folder) for folder in sorted(SNIPPETS.iterdir()) if any(folder.glob("*.py"))]


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for name in marker.args:
            available, reason = NEEDS[name]
            if not available():
                pytest.skip(reason)


@pytest.fixture(autouse=True)
def clean_state() -> Iterator[None]:
    """One thread, and no precision, compiler or Accelerate settings left over from the test before."""
    import torch
    from accelerate.state import AcceleratorState

    torch.set_num_threads(1)
    precision = torch.backends.fp32_precision
    matmul = torch.backends.cuda.matmul.fp32_precision
    convolution = torch.backends.cudnn.conv.fp32_precision
    yield
    torch.backends.fp32_precision = precision
    torch.backends.cuda.matmul.fp32_precision = matmul
    torch.backends.cudnn.conv.fp32_precision = convolution
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    AcceleratorState._reset_state(reset_partial_state=True)
