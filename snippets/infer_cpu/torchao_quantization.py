"""torchao: weights of 8 bits in place, their speed with and without a compiler, and where the size is to be read."""

from _infer_cpu import tiny_model, tokens
from transformers import LlamaForCausalLM

# isort: split
# --8<-- [start:configurations]
import time

import torch
import torch._inductor.config as inductor
from torch import nn
from torch.utils._python_dispatch import is_traceable_wrapper_subclass
from torchao.core.config import AOBaseConfig
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
)
from transformers import PreTrainedModel, StaticCache

CONFIGURATIONS = {
    "weights": Int8WeightOnlyConfig(),
    "weights and activations": Int8DynamicActivationInt8WeightConfig(),
}


# --8<-- [end:configurations]
# --8<-- [start:quantize]
def quantize(model: nn.Module, config: AOBaseConfig) -> nn.Module:
    # The linear layers; embeddings and norms stay as they are.
    quantize_(model, config)
    return model


# --8<-- [end:quantize]
# --8<-- [start:speed]
def tokens_per_second(
    model: PreTrainedModel, prompt: torch.Tensor, compiled: bool
) -> float:
    inductor.freezing = True  # Weights are constants: packed once.
    step = torch.compile(model, dynamic=False) if compiled else model
    # Keys of one length, so that every token runs the same program.
    cache = StaticCache(config=model.config, max_cache_len=128)
    with torch.inference_mode():
        logits = model(prompt, past_key_values=cache).logits
        for number in range(34):
            if number == 2:  # The first tokens wait for the compiler.
                start = time.process_time()
            token = logits[:, -1:].argmax(-1)
            logits = step(token, past_key_values=cache).logits
        return 32 / (time.process_time() - start)


# --8<-- [end:speed]
# --8<-- [start:bytes]
def plain_tensors(tensor: torch.Tensor) -> list[torch.Tensor]:
    if not is_traceable_wrapper_subclass(tensor):
        return [tensor]
    names, _ = tensor.__tensor_flatten__()
    parts = [plain_tensors(getattr(tensor, name)) for name in names]
    return [plain for part in parts for plain in part]


def stored_bytes(model: nn.Module) -> int:
    parts = (part for p in model.parameters() for part in plain_tensors(p))
    return sum(part.nbytes for part in parts)


# --8<-- [end:bytes]
def relative_error(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, divided by the norm of `theirs`."""
    return ((ours - theirs).norm() / theirs.norm()).item()


def large_layer() -> LlamaForCausalLM:
    """A layer large enough that reading its weights takes longer than starting its operations."""
    sizes = {"vocab_size": 4096, "hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 1}
    return tiny_model(**sizes, num_attention_heads=16, num_key_value_heads=4)


def speeds() -> None:
    """Print the tokens per second of the large layer, in each type, as it is and compiled."""
    torch.set_num_threads(1)
    print("Tokens per second of CPU time on one core, one layer of hidden size 1024:")
    types = {"fp32": torch.float32, "bf16": torch.bfloat16, "weights": torch.bfloat16}
    for name in (*types, "weights and activations"):
        rates = []
        for compiled in (False, True):
            torch._dynamo.reset()
            model = large_layer().to(types.get(name, torch.float32))
            model = quantize(model, CONFIGURATIONS[name]) if name in CONFIGURATIONS else model
            rates.append(tokens_per_second(model, tokens(1), compiled))
        print(f"  {name:24}{model.dtype!s:15} eager {rates[0]:6.1f}, compiled {rates[1]:6.1f}")


def main() -> None:
    plain = tiny_model()
    print(f"{'fp32':24}{stored_bytes(plain):>9,} bytes")
    with torch.inference_mode():
        logits = plain(tokens()).logits
        for name, config in CONFIGURATIONS.items():
            model = quantize(tiny_model(), config)
            error = relative_error(model(tokens()).logits, logits)
            print(f"{name:24}{stored_bytes(model):>9,} bytes, relative error of the logits {error:.3f}, ", end="")
            print(f"get_memory_footprint says {model.get_memory_footprint():,}")
    speeds()


if __name__ == "__main__":
    main()
