"""A snapshot of every allocation of a run on CUDA, also of one that runs out of memory."""

from pathlib import Path
from tempfile import TemporaryDirectory

# isort: split
# --8<-- [start:record]
import torch


# `run` takes two steps, such as trainer.train with max_steps=2.
def record_allocations(run, file="step.pickle"):
    torch.cuda.memory._record_memory_history()
    try:
        run()
    finally:  # Also after running out of memory.
        torch.cuda.memory._dump_snapshot(file)
        torch.cuda.memory._record_memory_history(enabled=None)
# --8<-- [end:record]


def main() -> None:
    if not torch.cuda.is_available():
        print("No snapshot: it needs CUDA, and PyTorch finds none here")
        return
    with TemporaryDirectory() as folder:
        file = Path(folder, "step.pickle")
        record_allocations(lambda: torch.empty(1000, device="cuda"), str(file))
        print(f"A snapshot was written: {file.stat().st_size > 0}")


if __name__ == "__main__":
    main()
