"""The static cache: keys and values in tensors that are made once, so that every step has the same shapes."""

from _infer_one import prompt, tiny_model
from torch import nn

# isort: split
# --8<-- [start:generate]
import torch
from transformers import Cache, PreTrainedModel


def generate(
    model: PreTrainedModel,
    inputs: dict[str, torch.Tensor],
    cache: str | None = None,
) -> tuple[list[int], Cache]:
    # Some other models would generate wrong tokens, without an error.
    if cache == "static" and not model._can_compile_fullgraph:
        raise ValueError(f"no static cache for {model.config.model_type}")
    output = model.generate(
        **inputs,
        max_new_tokens=32,
        do_sample=False,
        cache_implementation=cache,  # "static", or None for one that grows
        return_dict_in_generate=True,
    )
    return output.sequences[0].tolist(), output.past_key_values


# --8<-- [end:generate]
def lengths_read(model: nn.Module, cache: str | None) -> list[int]:
    """The lengths of the keys that each layer reads while tokens are generated, in order, the prompt's step first."""
    lengths: list[int] = []
    attention = nn.functional.scaled_dot_product_attention

    def watched(query: torch.Tensor, key: torch.Tensor, *rest: object, **options: object) -> torch.Tensor:
        lengths.append(key.shape[-2])
        return attention(query, key, *rest, **options)

    nn.functional.scaled_dot_product_attention = watched
    try:
        generate(model, prompt(), cache)
    finally:
        nn.functional.scaled_dot_product_attention = attention
    return lengths


def key_lengths(model: nn.Module, cache: str | None) -> set[int]:
    """The lengths of the keys that attention sees while the tokens are generated one by one."""
    # Without the prompt, which all layers read first.
    return set(lengths_read(model, cache)[model.config.num_hidden_layers :])


def main() -> None:
    growing, static = generate(tiny_model(), prompt()), generate(tiny_model(), prompt(), "static")
    print(f"{type(growing[1]).__name__}: keys of {len(key_lengths(tiny_model(), None))} lengths")
    print(f"{type(static[1]).__name__}:  keys of {len(key_lengths(tiny_model(), 'static'))} length")
    print(f"The tokens are the same: {static[0] == growing[0]}")
    print(f"Graphs compiled: {torch._dynamo.utils.counters['stats']['unique_graphs']}")


if __name__ == "__main__":
    main()
