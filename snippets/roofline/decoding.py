"""One token for each sequence of a batch, measured, beside what the roofline allows."""

import sys
from pathlib import Path

from _roofline import DTYPE, GPU, SIZE, measured_device, name, print_row, seconds_of_call

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B

# isort: split
# --8<-- [start:step]
from collections.abc import Callable

import torch
from rates import device
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache


# Calls the model for the last token of a full cache.
def decoding_step(model: LlamaForCausalLM, batch: int, context: int):
    cache = StaticCache(config=model.config, max_cache_len=context)
    token = torch.zeros(batch, 1, dtype=torch.long, device=model.device)

    @torch.inference_mode()
    def step():
        for layer in cache.layers:
            if layer.is_initialized:
                layer.cumulative_length.fill_(context - 1)
        return model(token, past_key_values=cache).logits

    step()  # Allocates the cache.
    return step


# The kernels of a call, replayed without Python.
def record_graph(call: Callable[[], object]) -> Callable[[], object]:
    stream = torch.cuda.Stream()  # A graph is recorded after a first call.
    with torch.cuda.stream(stream):
        call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay
# --8<-- [end:step]


SMALL = LlamaConfig(
    vocab_size=8192,
    hidden_size=1024,
    intermediate_size=4096,
    num_hidden_layers=8,
    num_attention_heads=16,
    num_key_value_heads=4,
)


def random_model(config: LlamaConfig) -> LlamaForCausalLM:
    """A model of random weights, made where they are used."""
    with device():
        torch.set_default_dtype(DTYPE)
        try:
            return LlamaForCausalLM(config).eval()
        finally:
            torch.set_default_dtype(torch.float32)


def main() -> None:
    from law import decoding, seconds

    at = measured_device()
    config = LLAMA_8B if GPU else SMALL
    model = random_model(config)
    print(f"{model.num_parameters() / 1e9:.2f} billion weights of {SIZE} bytes on {name()}, 1,024 tokens of context:")
    for batch in (1, 8, 32, 128) if GPU else (1, 2, 4):
        law = seconds(decoding(config, batch, 1024, SIZE, SIZE), at)
        step = decoding_step(model, batch, 1024)
        print_row(f"batch of {batch:>3}, from Python", seconds_of_call(step, calls=3), law)
        if GPU:
            print_row(f"batch of {batch:>3}, as a graph ", seconds_of_call(record_graph(step), calls=3), law)


if __name__ == "__main__":
    main()
