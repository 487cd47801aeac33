"""Dynamic quantization: linear layers with 8-bit weights, activations quantized as they come."""

import warnings

from _infer_cpu import tiny_model, tokens

# isort: split
# --8<-- [start:quantize]
import torch
from torch import nn


def quantize(model: nn.Module) -> nn.Module:
    # Deprecated: to be removed in 2.10, says PyTorch 2.13. See torchao.
    return torch.ao.quantization.quantize_dynamic(
        model, {nn.Linear}, dtype=torch.qint8
    )


# --8<-- [end:quantize]
def weight_bytes(linear: nn.Module) -> int:
    """Bytes of a linear layer's weight, plain or quantized."""
    weight = linear.weight() if callable(linear.weight) else linear.weight
    return weight.numel() * weight.element_size()


def relative_error(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, divided by the norm of `theirs`."""
    return ((ours - theirs).norm() / theirs.norm()).item()


def main() -> None:
    model = tiny_model()
    with warnings.catch_warnings(record=True) as caught, torch.inference_mode():
        warnings.simplefilter("always")
        quantized = quantize(model)
        error = relative_error(quantized(tokens()).logits, model(tokens()).logits)
    before, after = weight_bytes(model.lm_head), weight_bytes(quantized.lm_head)
    print(f"A linear layer's weight: {before:,} bytes, quantized {after:,} bytes")
    print(f"Its type: {type(quantized.lm_head).__module__}.{type(quantized.lm_head).__name__}")
    print(f"Relative error of the logits: {error:.3f}")
    print(f"Deprecated: {any(issubclass(warning.category, DeprecationWarning) for warning in caught)}")


if __name__ == "__main__":
    main()
