"""torch.compile beside XLA: it too fuses, and it can compile once for all lengths."""

# --8<-- [start:compile]
import torch
from torch import nn


# None: compile anew for a second shape, then for any shape.
# True: for any shape at once. False: for every shape anew, as XLA.
def compile_for(model: nn.Module, dynamic: bool | None) -> nn.Module:
    model.compile(dynamic=dynamic)
    return model


# --8<-- [end:compile]
class FeedForward(nn.Module):
    """A feed-forward network with random weights, the same at every call."""

    def __init__(self, hidden: int = 64, inner: int = 256) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.down(nn.functional.gelu(self.up(hidden)))


def without_compiler() -> torch.compiler.set_stance:
    """A backend that traces as the default one does, and needs no compiler for C++."""
    return torch.compiler.set_stance("default", force_backend="aot_eager")


def graphs(dynamic: bool | None, lengths: tuple[int, ...] = (16, 17, 33, 50)) -> int:
    """How many graphs are compiled for inputs of these lengths."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    model = compile_for(FeedForward(), dynamic)
    with without_compiler(), torch.inference_mode():
        for length in lengths:
            model(torch.ones(2, length, 64))
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def main() -> None:
    hidden = torch.linspace(-1, 1, 2 * 16 * 64).reshape(2, 16, 64)
    with without_compiler(), torch.inference_mode():
        difference = compile_for(FeedForward(), None)(hidden) - FeedForward()(hidden)
    print(f"Largest difference from the eager model: {difference.abs().max():.4f}")
    for dynamic in (None, True, False):
        print(f"dynamic={dynamic}: {graphs(dynamic)} graphs for 4 lengths")


if __name__ == "__main__":
    main()
