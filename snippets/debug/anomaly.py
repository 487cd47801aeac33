"""Anomaly detection: which operation of the forward pass made the gradient that is not a number."""

import warnings

# --8<-- [start:imports]
import torch
from torch import nn

# --8<-- [end:imports]


# --8<-- [start:model]
class Distance(nn.Module):
    def forward(self, a, b):
        return (a - b).square().sum().sqrt()


distance = Distance()
# --8<-- [end:model]


def gradient(distance: nn.Module) -> torch.Tensor:
    """The gradient for two points that are the same: not a number, and nothing says so."""
    # --8<-- [start:silent]
    point = torch.ones(3, requires_grad=True)
    loss = distance(point, torch.ones(3))
    loss.backward()  # No error: the loss is 0, the gradient is nan.
    # --8<-- [end:silent]
    return point.grad


def detected(distance: nn.Module) -> tuple[str, str]:
    """The error under anomaly detection, and PyTorch's warning, which has the lines of the forward pass."""
    point = torch.ones(3, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            # --8<-- [start:detect]
            with torch.autograd.detect_anomaly():
                loss = distance(point, torch.ones(3))
                loss.backward()  # RuntimeError: names the operation.
            # --8<-- [end:detect]
        except RuntimeError as error:
            return str(error), str(caught[-1].message)
    return "", ""


def main() -> None:
    print(f"Gradient without detection: {gradient(distance).tolist()}")
    error, warning = detected(distance)
    print(f"With detection: {error}")
    print(f"In the forward pass: {next(line.strip() for line in warning.splitlines() if 'sqrt' in line)}")


if __name__ == "__main__":
    main()
