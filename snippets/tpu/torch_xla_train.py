"""torch_xla: PyTorch's operators are collected into a graph, compiled for the TPU once, and run at every step."""

# --8<-- [start:device]
import torch
import torch_xla
import torch_xla.core.xla_model as xla_model
import torch_xla.debug.metrics as metrics
from torch import nn

# --8<-- [end:device]
from torch_xla import runtime


def tiny_model() -> nn.Module:
    """A small network of random weights, the same at every call."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 1))


def batches(count: int, rows: int = 32) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Random rows, and the mean of each one as what is to be learnt."""
    generator = torch.Generator().manual_seed(1)
    inputs = [torch.randn(rows, 16, generator=generator) for _ in range(count)]
    return [(rows, rows.mean(1, keepdim=True)) for rows in inputs]


# --8<-- [start:train]
def train(model: nn.Module, data, device: torch.device):
    losses = []
    model.to(device).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in data:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(
            model(inputs.to(device)), targets.to(device)
        )
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())  # .item() would run the graph here.
        torch_xla.sync()  # Compiles what has been collected, and runs it.
    return losses


# --8<-- [end:train]
# --8<-- [start:metrics]
def compilations() -> tuple[int, int]:
    xla_model.wait_device_ops()
    compiled = metrics.metric_data("CompileTime")
    executed = metrics.metric_data("ExecuteTime")
    # Each is None before the first; its count comes first.
    return compiled[0] if compiled else 0, executed[0] if executed else 0


# --8<-- [end:metrics]
def main() -> None:
    device = torch_xla.device()
    metrics.clear_all()
    losses = train(tiny_model(), batches(20), device)
    compiled, executed = compilations()
    print(f"torch_xla {torch_xla.__version__} on {runtime.device_type()}: {device}")
    print(f"20 steps: {compiled} graphs compiled, {executed} runs")
    plain = train(tiny_model(), batches(20), torch.device("cpu"))
    same = torch.allclose(torch.stack(losses).cpu(), torch.stack(plain), atol=1e-4)
    print(f"Loss of the first step {losses[0].item():.3f}, of the last one {losses[-1].item():.3f}; PyTorch's: {same}")


if __name__ == "__main__":
    main()
