"""torchao: weights of 8 bits in place, by one call, and a size that has to be asked for in the right place."""

import torch
from _infer_cpu import plain_tensors, tiny_model, tokens
from torch import nn
from torchao.core.config import AOBaseConfig
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig, quantize_


def quantize(model: nn.Module, config: AOBaseConfig) -> nn.Module:
    # --8<-- [start:quantize]
    # The linear layers; embeddings and norms stay as they are.
    quantize_(model, config)
    # --8<-- [end:quantize]
    return model


def configurations() -> dict[str, AOBaseConfig]:
    # --8<-- [start:configurations]
    return {
        "weights": Int8WeightOnlyConfig(),
        "weights and activations": Int8DynamicActivationInt8WeightConfig(),
    }
    # --8<-- [end:configurations]


def stored_bytes(model: nn.Module) -> int:
    """Bytes of what the parameters are really made of."""
    # --8<-- [start:bytes]
    parts = (part for p in model.parameters() for part in plain_tensors(p))
    stored = sum(part.nbytes for part in parts)
    # --8<-- [end:bytes]
    return stored


def relative_error(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, divided by the norm of `theirs`."""
    return ((ours - theirs).norm() / theirs.norm()).item()


def main() -> None:
    plain = tiny_model()
    print(f"{'fp32':24}{stored_bytes(plain):>9,} bytes")
    with torch.inference_mode():
        logits = plain(tokens()).logits
        for name, config in configurations().items():
            model = quantize(tiny_model(), config)
            error = relative_error(model(tokens()).logits, logits)
            print(f"{name:24}{stored_bytes(model):>9,} bytes, relative error of the logits {error:.3f}, ", end="")
            print(f"get_memory_footprint says {model.get_memory_footprint():,}")


if __name__ == "__main__":
    main()
