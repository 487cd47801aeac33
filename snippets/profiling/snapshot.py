"""Memory by operator on any device, and PyTorch's snapshot of every allocation on CUDA."""

from _profiling import batches, tiny_model

# isort: split
# --8<-- [start:operators]
import torch
from torch.profiler import ProfilerActivity, profile
from transformers import PreTrainedModel


def memory_by_operator(
    model: PreTrainedModel, batch: dict
) -> list[tuple[str, int]]:
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True
    ) as profiler:
        loss = model(**batch).loss
    del loss
    # On a GPU read `self_device_memory_usage`.
    events = profiler.key_averages()
    sizes = [(event.key, event.self_cpu_memory_usage) for event in events]
    return sorted(sizes, key=lambda size: -size[1])
# --8<-- [end:operators]


# --8<-- [start:snapshot]
def snapshot(model: PreTrainedModel, batch: dict, file: str) -> None:
    # CUDA only: every allocation, with the Python stack that made it.
    torch.cuda.memory._record_memory_history(max_entries=100_000)
    try:
        model(**batch).loss.backward()
    finally:  # Also after running out of memory.
        torch.cuda.memory._dump_snapshot(file)
        torch.cuda.memory._record_memory_history(enabled=None)
# --8<-- [end:snapshot]


def main() -> None:
    for name, size in memory_by_operator(tiny_model(), batches(1)[0])[:4]:
        print(f"{name:<40} {size:>9,} bytes")
    if torch.cuda.is_available():
        print("A snapshot of every allocation can be recorded here")
    else:
        print("No snapshot: it needs CUDA, and PyTorch finds none here")


if __name__ == "__main__":
    main()
