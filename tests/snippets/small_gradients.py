"""How far an optimizer with a quantized state moves values whose gradients are small beside one of their block."""

from collections.abc import Callable

import torch

BLOCK, STEPS, RATE = 256, 200, 1e-3


def measure_steps(kind: Callable[..., torch.optim.Optimizer], ratio: float) -> tuple[float, float]:
    """The farthest and the mean step, in learning rates: a block's first gradient is 1 / ratio times the others."""
    generator = torch.Generator().manual_seed(1)
    weight = torch.nn.Parameter(torch.zeros(16 * BLOCK))
    optimizer = kind([weight], lr=RATE, weight_decay=0)
    sizes = torch.ones_like(weight).detach()
    sizes[::BLOCK] = 1 / ratio
    moves = []
    with torch.compiler.set_stance("force_eager"):  # The step's numbers are the same without the compiler.
        for _ in range(STEPS):
            before = weight.detach().clone()
            weight.grad = torch.randn(len(weight), generator=generator) * sizes
            optimizer.step()
            moves.append((weight.detach() - before)[sizes == 1].abs() / RATE)
    return torch.stack(moves).max().item(), torch.stack(moves).mean().item()
