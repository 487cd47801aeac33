"""Model FLOPs utilization: the operations that a model needs, divided by what the hardware could have done."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B, LLAMA_405B

# isort: split
# --8<-- [start:mfu]
import torch
from torch import nn
from transformers import AutoModelForCausalLM, LlamaConfig


# Weights that a token is multiplied with.
def used_weights(model: nn.Module, config: LlamaConfig) -> float:
    total = 0.0
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            continue  # Looked up; tied, it is also the head's weight.
        for weight in module.parameters(recurse=False):
            share = 1.0
            # Experts are stacked; a convolution has one channel.
            if weight.dim() == 3 and weight.shape[1] > 1:
                share = config.num_experts_per_tok / len(weight)
            if weight.dim() > 1:  # Norms are in no product.
                total += share * weight.numel()
    return total


def flops_per_token(config: LlamaConfig, length: int) -> float:
    if config.is_encoder_decoder:
        raise ValueError("An encoder-decoder has two lengths: not counted")
    config = config.get_text_config()  # of a model that reads images
    if getattr(config, "kv_lora_rank", None):
        raise ValueError("The heads of latent attention are not counted")
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    weights = used_weights(model, config)
    heads = config.num_attention_heads
    # Many configurations leave the size of a head to be computed.
    size = getattr(config, "head_dim", None)
    width = heads * (size or config.hidden_size // heads)
    # Scores and values; a causal mask leaves half of the keys.
    attention = 2 * config.num_hidden_layers * width * length / 2
    # A product is 2 operations forward and 4 backward.
    return 6 * (weights + attention)


def mfu(
    config: LlamaConfig, length: int, tokens_per_second: float, peak: float
) -> float:
    return flops_per_token(config, length) * tokens_per_second / peak
# --8<-- [end:mfu]


H100 = 989.4e12  # bf16 without sparsity
REPORTED = 0.43  # MFU on 8,192 GPUs, "The Llama 3 Herd of Models", table 4


def main() -> None:
    for name, config in {"8B": LLAMA_8B, "405B": LLAMA_405B}.items():
        needed = flops_per_token(config, 8192)
        attention = 1 - flops_per_token(config, 0) / needed
        print(f"{name}: {needed:.3g} operations per token, attention {attention:.1%} of them")
        print(f"  {REPORTED:.0%} of an H100's peak is {REPORTED * H100 / needed:,.0f} tokens per second and GPU")
    print(f"8B at 5,000 tokens per second: MFU {mfu(LLAMA_8B, 8192, 5000, H100):.1%}")


if __name__ == "__main__":
    main()
