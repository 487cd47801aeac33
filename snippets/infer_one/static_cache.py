"""The static cache: keys and values in tensors that are made once, so that every step has the same shapes."""

from _infer_one import prompt, tiny_model
from torch import nn

# isort: split
# --8<-- [start:generate]
import torch
from transformers import PreTrainedModel


def generate(
    model: PreTrainedModel, inputs: dict[str, torch.Tensor]
) -> torch.Tensor:
    return model.generate(
        **inputs,
        max_new_tokens=32,
        do_sample=False,
        cache_implementation="static",
    )


# --8<-- [end:generate]
# --8<-- [start:check]
def same_tokens(
    model: PreTrainedModel, inputs: dict[str, torch.Tensor]
) -> bool:
    plain = model.generate(**inputs, max_new_tokens=32, do_sample=False)
    return torch.equal(generate(model, inputs), plain)


# --8<-- [end:check]
def lengths_read(model: nn.Module, cache: str | None) -> list[int]:
    """The lengths of the keys that each layer reads while tokens are generated, in order, the prompt's step first."""
    lengths: list[int] = []
    attention = nn.functional.scaled_dot_product_attention

    def watched(query: torch.Tensor, key: torch.Tensor, *rest: object, **options: object) -> torch.Tensor:
        lengths.append(key.shape[-2])
        return attention(query, key, *rest, **options)

    nn.functional.scaled_dot_product_attention = watched
    try:
        model.generate(**prompt(), max_new_tokens=32, do_sample=False, cache_implementation=cache)
    finally:
        nn.functional.scaled_dot_product_attention = attention
    return lengths


def key_lengths(model: nn.Module, cache: str | None) -> set[int]:
    """The lengths of the keys that attention sees while the tokens are generated one by one."""
    # Without the prompt, which all layers read first.
    return set(lengths_read(model, cache)[model.config.num_hidden_layers :])


def main() -> None:
    print(f"The growing cache: keys of {len(key_lengths(tiny_model(), None))} lengths")
    print(f"The static cache:  keys of {len(key_lengths(tiny_model(), 'static'))} length")
    print(f"The tokens are the same: {same_tokens(tiny_model(), prompt())}")
    print(f"Graphs compiled: {torch._dynamo.utils.counters['stats']['unique_graphs']}")


if __name__ == "__main__":
    main()
