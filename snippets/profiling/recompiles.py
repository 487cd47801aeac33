"""Recompilation: how often torch.compile compiles when batches have other lengths, counted in a trace."""

from collections.abc import Iterable

from _profiling import device, tiny_model

# isort: split
# --8<-- [start:count]
import torch
from torch.profiler import profile


def compilations_begun(model, batches):
    model.train()
    with profile() as profiler:
        for batch in batches:
            model(**batch, use_cache=False).loss.backward()
    names = [event.name for event in profiler.events()]
    return names.count("entire_frame_compile")


# --8<-- [end:count]


# --8<-- [start:pad]
# One of a few lengths, so that only these are ever compiled.
def padded_length(length, multiple=64):
    return -(-length // multiple) * multiple


# --8<-- [end:pad]

LENGTHS = (40, 52, 60, 72, 80, 88, 96, 100, 108, 120)


def batches(lengths: Iterable[int]) -> list[dict[str, torch.Tensor]]:
    rows = [torch.ones(2, length, dtype=torch.long, device=device()) for length in lengths]
    return [{"input_ids": row, "labels": row} for row in rows]


def main() -> None:
    torch.set_num_threads(1)
    print(f"{len(LENGTHS)} steps with batches of {len(set(LENGTHS))} lengths; PyTorch compiles 8 times at most")
    for name, lengths, dynamic in (
        ("dynamic=False", LENGTHS, False),
        ("the default", LENGTHS, None),
        ("dynamic=False, padded to multiples of 64", map(padded_length, LENGTHS), False),
    ):
        torch._dynamo.reset()
        model = tiny_model()
        # How often it compiles does not depend on the backend; this one is quick.
        model.compile(backend="eager", dynamic=dynamic)
        print(f"{name + ':':42} {compilations_begun(model, batches(lengths))} compilations begun", flush=True)


if __name__ == "__main__":
    main()
