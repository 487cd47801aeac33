"""How far an optimizer with a quantized state moves values whose gradients are small beside one of their block."""

from collections.abc import Callable

import torch
from transformers import LlamaConfig, LlamaForCausalLM

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


def measure_llama(kind: Callable[..., torch.optim.Optimizer]) -> tuple[float, float]:
    """The farthest and the mean step of a small Llama's query and key projections, one of whose features is 100."""
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    settings = {"vocab_size": 256, "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2}
    model = LlamaForCausalLM(LlamaConfig(**settings, num_attention_heads=4, num_key_value_heads=2))
    for layer in model.model.layers:
        layer.input_layernorm.weight.data[7] = 100
    optimizer, moves = kind(model.parameters(), lr=RATE, weight_decay=0), []
    weights = [weight for name, weight in model.named_parameters() if "q_proj" in name or "k_proj" in name]
    with torch.compiler.set_stance("force_eager"):
        for _ in range(20):
            tokens = torch.randint(0, 256, (4, 32), generator=generator)
            optimizer.zero_grad()
            model(input_ids=tokens, labels=tokens).loss.backward()
            before = [weight.detach().clone() for weight in weights]
            optimizer.step()
            moves += [((new.detach() - old).abs() / RATE).flatten() for new, old in zip(weights, before, strict=True)]
    return torch.cat(moves).max().item(), torch.cat(moves).mean().item()
