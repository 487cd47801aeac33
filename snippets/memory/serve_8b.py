"""Serving a model of 8 billion parameters on 16 GB: the peak of a batch of requests, one method after another."""

import logging
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B

# isort: split
# --8<-- [start:imports]
import bitsandbytes as bnb
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import (
    AutoModelForCausalLM,
    BitsAndBytesConfig,
    DynamicCache,
    QuantizedCache,
)
from transformers.integrations import replace_with_bnb_linear

# --8<-- [end:imports]
# isort: split
# --8<-- [start:peak]
import finetune_8b

from peak import PeakMemory

# --8<-- [end:peak]

# --8<-- [start:models]
# With a threshold the number of outliers decides over shapes.
INT8 = BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=0.0)
NF4 = BitsAndBytesConfig(
    load_in_4bit=True,
    bnb_4bit_quant_type="nf4",
    bnb_4bit_use_double_quant=True,
    bnb_4bit_compute_dtype=torch.bfloat16,
)


# On the meta device a model has shapes and types, and no memory.
def on_meta(config, quantization=None):
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(
            config, dtype=torch.bfloat16
        )
    if quantization:
        # Embeddings, norms and the output layer stay in bf16.
        model = replace_with_bnb_linear(model, ["lm_head"], quantization)
    # Makes the table that bitsandbytes keeps, while tensors are real.
    bnb.functional.quantize_blockwise(torch.zeros(1))
    return model.eval()


# --8<-- [end:models]


# --8<-- [start:materialize]
def materialize(model):
    for module in finetune_8b.materialize(model).modules():
        if isinstance(module, bnb.nn.Linear4bit):
            # Else some CPUs store the weights once more, in their order.
            module.support_avx512bf16_for_cpu = False
        if isinstance(module, bnb.nn.Linear8bitLt):
            weight = torch.zeros(module.weight.shape, dtype=torch.int8)
            module.weight = nn.Parameter(weight, requires_grad=False)
            module.weight.CB = module.weight.data
            module.weight.SCB = torch.zeros(len(weight))
            module.weight.has_fp16_weights = False
    return model


# All that a loaded model holds: weights, scales, and a few buffers.
def stored(model):
    yield from model.buffers()
    for weight in model.parameters():
        yield weight
        if hasattr(weight, "SCB"):
            yield weight.SCB
        state = getattr(weight, "quant_state", None)
        while state:  # double quantization: a state in the state
            yield from filter(torch.is_tensor, vars(state).values())
            state = state.state2


# --8<-- [end:materialize]


# --8<-- [start:serve]
def bf16_cache(config):
    return DynamicCache(config=config)


def fp8_cache(config):
    return QuantizedCache(backend="fp8", config=config)


def cached(cache):
    for layer in cache.layers:
        if hasattr(layer, "_quantized_keys"):
            yield layer._quantized_keys[0]
            yield layer._quantized_values[0]
        else:
            yield layer.keys
            yield layer.values


# The prompts, which fill the context, and one more token of each.
def serve(
    memory,
    model,
    requests=8,
    length=8192,
    chunk=None,
    new_cache=bf16_cache,
    logits_to_keep=1,  # as `generate` has it; 0 is all
):
    memory.label("weights", stored(model))
    cache = new_cache(model.config)
    tokens = torch.zeros(requests, length, dtype=torch.long)
    parts = [*tokens.split(chunk or length, dim=1), tokens[:, :1]]
    with memory, torch.no_grad():
        for part in parts:
            model(
                part,
                past_key_values=cache,
                logits_to_keep=logits_to_keep,
            )
            memory.label("cache", cached(cache))


def simulate(model, **options):
    memory = PeakMemory()
    with FakeTensorMode(allow_non_fake_inputs=True):
        serve(memory, materialize(model), **options)
    return memory.peak()


# --8<-- [end:serve]


# --8<-- [start:steps]
# Each keeps what the ones before it brought.
def steps(config, chunk=1024):
    chunks = {"chunk": chunk}
    quantized = chunks | {"new_cache": fp8_cache}
    yield "bf16, all logits", on_meta(config), {"logits_to_keep": 0}
    yield "last logits", on_meta(config), {}
    yield "8-bit weights", on_meta(config, INT8), {}
    yield "4-bit weights", on_meta(config, NF4), {}
    yield "prefill in chunks", on_meta(config, NF4), chunks
    yield "FP8 cache", on_meta(config, NF4), quantized


# --8<-- [end:steps]


def main() -> None:
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # Each 8-bit layer warns of its cast to fp16.
    print("Llama 3.1 8B, 8 requests of 8,192 tokens, GB at the peak")
    print(" " * 18, *(f"{kind:>11}" for kind in ("weights", "cache", "workspace", "sum")))
    for name, model, options in steps(LLAMA_8B):
        peak = simulate(model, **options)
        held = [peak["weights"], peak["cache"], peak["activations"], peak.total()]
        print(f"{name:18}", *(f"{size / 1e9:11.2f}" for size in held), flush=True)


if __name__ == "__main__":
    main()
