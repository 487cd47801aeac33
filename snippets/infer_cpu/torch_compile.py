"""torch.compile for inference on a CPU: one kernel for several operations, the same numbers."""

import shutil

import torch
from _infer_cpu import tiny_model
from torch._inductor import metrics
from torch.profiler import ProfilerActivity, profile

# isort: split
# --8<-- [start:compile]
from torch import nn


def compile_model(model: nn.Module, backend: str = "inductor") -> nn.Module:
    model.eval()
    # Needs a C++ compiler; the first call compiles.
    model.compile(backend=backend)
    return model


# --8<-- [end:compile]
def feed_forward() -> nn.Module:
    """The feed-forward network of a layer: a whole model takes inductor a minute."""
    return tiny_model().model.layers[0].mlp


def largest_difference(backend: str) -> float:
    """Of what the compiled network puts out from what the eager one does."""
    hidden = torch.randn(2, 16, 64, generator=torch.Generator().manual_seed(0))
    network = feed_forward()
    with torch.inference_mode():
        eager = network(hidden)
        return (compile_model(network, backend)(hidden) - eager).abs().max().item()


def products() -> int:
    """Matrix products that a call of the compiled network leaves to PyTorch's library."""
    hidden, network = torch.randn(2, 16, 64), compile_model(feed_forward())
    with torch.inference_mode():
        network(hidden)
        with profile(activities=[ProfilerActivity.CPU]) as events:
            network(hidden)
    return sum(event.count for event in events.key_averages() if event.key in ("aten::mm", "aten::addmm"))


def graphs_for(lengths: tuple[int, ...] = (16, 17, 33, 50)) -> int:
    """The graphs that are captured for inputs of these lengths."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    network = compile_model(feed_forward(), "aot_eager")
    with torch.inference_mode():
        for length in lengths:
            network(torch.ones(1, length, 64))
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def main() -> None:
    backend = "inductor" if shutil.which("c++") else "aot_eager"
    metrics.reset()
    print(f"Backend {backend}: largest difference {largest_difference(backend):.4f}")
    print(f"Graphs captured: {torch._dynamo.utils.counters['stats']['unique_graphs']}")
    print(f"Kernels made: {metrics.generated_kernel_count}", end="")
    print(f", matrix products left to the library: {products()}" if backend == "inductor" else "")
    print(f"Graphs for four lengths: {graphs_for()}")


if __name__ == "__main__":
    main()
