"""Muon: one momentum per weight, and every direction of a matrix gets a step of the same length."""

from torch.utils.flop_counter import FlopCounterMode

from _tiny import device, state_bytes_per_parameter, tiny_batch, tiny_model

# isort: split
# --8<-- [start:optimizers]
import torch
from torch import nn
from transformers import PreTrainedModel


def optimizers_for(
    model: PreTrainedModel, lr: float
) -> list[torch.optim.Optimizer]:
    linear = [m for m in model.modules() if isinstance(m, nn.Linear)]
    matrices = {id(m.weight) for m in linear}
    hidden, others = [], []
    for name, parameter in model.named_parameters():
        layer = id(parameter) in matrices and ".layers." in name
        (hidden if layer else others).append(parameter)
    muon = torch.optim.Muon(
        hidden,
        lr=lr,
        weight_decay=0.01,  # the default is 0.1
        adjust_lr_fn="match_rms_adamw",  # takes AdamW's learning rate
    )
    # Embeddings, the output layer and vectors stay with AdamW.
    adamw = torch.optim.AdamW(others, lr=lr, weight_decay=0.01)
    return [muon, adamw]


# --8<-- [end:optimizers]
# --8<-- [start:train]
def train(model: PreTrainedModel, batches, lr: float = 3e-3) -> None:
    optimizers = optimizers_for(model, lr)
    model.train()
    for batch in batches:
        model(**batch).loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()


# --8<-- [end:train]
def one_step(rows: int, columns: int, **options: object) -> tuple[torch.Tensor, torch.Tensor, torch.optim.Muon, int]:
    """Of a step with a random gradient of low rank and some noise: gradient, update, optimizer, operations."""
    torch.manual_seed(0)
    gradient = torch.randn(rows, 4, device=device()) @ torch.randn(4, columns, device=device())
    weight = nn.Parameter(torch.zeros(rows, columns, device=device()))
    weight.grad = gradient + torch.randn_like(gradient) / 4
    optimizer = torch.optim.Muon([weight], lr=1.0, **options)
    with FlopCounterMode(display=False) as operations:
        optimizer.step()
    return weight.grad, weight.detach(), optimizer, operations.get_total_flops()


def spread(matrix: torch.Tensor) -> float:
    """The largest singular value, divided by the median."""
    values = torch.linalg.svdvals(matrix.float())
    return (values.max() / values.median()).item()


def rms(matrix: torch.Tensor) -> float:
    return matrix.float().square().mean().sqrt().item()


def share_of_a_step(width: int, tokens: int) -> float:
    """Muon's operations, divided by the 6 per weight and token of the forward and backward pass."""
    operations = one_step(128, 128)[3] * (width / 128) ** 3
    return operations / (6 * width**2 * tokens)


def main() -> None:
    gradient, update, optimizer, _ = one_step(128, 512, adjust_lr_fn="match_rms_adamw")
    print(f"State: {state_bytes_per_parameter(optimizer):.0f} bytes per parameter")
    print(f"Largest by median singular value: gradient {spread(gradient):.1f}, update {spread(update):.1f}")
    default = one_step(128, 512)[1]
    print(f"RMS of an update, per learning rate: match_rms_adamw {rms(update):.2f}, default {rms(default):.3f}")
    for name, tokens in (("Few tokens", 4096), ("Many tokens", 524_288)):
        share = share_of_a_step(4096, tokens)
        print(f"{name}, width 4096: {tokens:,} tokens per step, {100 * share:.0f}% more operations")
    batch = tiny_batch()
    model, plain = tiny_model(), tiny_model()
    print(f"Loss before {model(**batch).loss.item():.2f}, ", end="")
    train(model, [batch] * 20)
    optimizer = torch.optim.AdamW(plain.parameters(), lr=3e-3)
    for _ in range(20):
        optimizer.zero_grad()
        plain(**batch).loss.backward()
        nn.utils.clip_grad_norm_(plain.parameters(), max_norm=1.0)
        optimizer.step()
    print(f"after 20 steps with Muon {model(**batch).loss.item():.2f}, AdamW alone {plain(**batch).loss.item():.2f}")


if __name__ == "__main__":
    main()
