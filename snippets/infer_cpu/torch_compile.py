"""torch.compile for inference on a CPU: one kernel for several operations, the same numbers."""

import shutil

import torch
from _infer_cpu import tiny_model
from torch import nn
from torch._inductor import metrics


def compile_model(model: nn.Module, backend: str = "inductor") -> nn.Module:
    # --8<-- [start:compile]
    model.eval()
    # Needs a C++ compiler; the first call compiles.
    model.compile(backend=backend)
    # --8<-- [end:compile]
    return model


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


def main() -> None:
    backend = "inductor" if shutil.which("c++") else "aot_eager"
    metrics.reset()
    print(f"Backend {backend}: largest difference {largest_difference(backend):.4f}")
    print(f"Graphs captured: {torch._dynamo.utils.counters['stats']['unique_graphs']}")
    print(f"Kernels made: {metrics.generated_kernel_count}")


if __name__ == "__main__":
    main()
