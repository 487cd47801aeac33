"""Sequence parallelism: every process has a part of each row, and swaps it for some heads of all of it to attend."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from _train_many import gradients, on_ranks, ragged, relative_difference, tiny_model
from torch.distributed.tensor.debug import CommDebugMode

# isort: split
# --8<-- [start:swap]
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed._functional_collectives import (
    all_to_all_single_autograd,
)
from torch.nn.functional import cross_entropy, pad
from transformers import AttentionInterface, PreTrainedModel


# Spreads one dimension over the ranks, and collects another.
def swap(states: torch.Tensor, split: int, join: int) -> torch.Tensor:
    group = dist.group.WORLD
    parts = torch.stack(states.chunk(group.size(), dim=split))
    received = all_to_all_single_autograd(parts, None, None, group)
    return torch.cat(list(received), dim=join)


# --8<-- [end:swap]
# --8<-- [start:attention]
HEADS, LENGTH = 1, 2


# Attention over all tokens, for this rank's share of the heads.
def ulysses(
    module, query, key, value, mask, dropout=0.0, scaling=None, **options
):
    for name in ("sliding_window", "softcap", "s_aux"):
        if options.get(name) is not None:
            raise ValueError(f"ulysses does not implement {name}")
    if not getattr(module, "is_causal", True):  # As in encoders.
        raise ValueError("ulysses computes causal attention only")
    # KV heads that the ranks cannot share are repeated.
    if key.shape[HEADS] % dist.get_world_size():
        groups = module.num_key_value_groups
        key = key.repeat_interleave(groups, dim=HEADS)
        value = value.repeat_interleave(groups, dim=HEADS)
    # From all heads of some tokens to some heads of all tokens,
    query, key, value = (
        swap(states, HEADS, LENGTH) for states in (query, key, value)
    )
    # Grouped heads with a mask or in fp32 would take the math kernel.
    groups = query.shape[HEADS] // key.shape[HEADS]
    key = key.repeat_interleave(groups, dim=HEADS)
    value = value.repeat_interleave(groups, dim=HEADS)
    # The mask is None, or of all tokens: (rows, 1, tokens, tokens).
    output = nn.functional.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=mask,
        dropout_p=dropout,
        is_causal=mask is None,
        scale=scaling,
    )
    # and back.
    return swap(output, LENGTH, HEADS).transpose(1, 2), None


AttentionInterface.register("ulysses", ulysses)


# --8<-- [end:attention]
# --8<-- [start:check]
# Other layers would start again at the first token of each rank.
def check_layers(model: PreTrainedModel) -> None:
    config = model.config.get_text_config()
    kinds = set(getattr(config, "layer_types", None) or ())
    if others := sorted(kinds - {"full_attention"}):
        raise ValueError(f"cannot split the tokens of layers: {others}")
    # Frequencies that follow the length: each rank sees only its part's.
    rope = str(getattr(config, "rope_parameters", None))
    if "'longrope'" in rope or "'dynamic'" in rope:
        raise ValueError(f"ranks would rotate differently with {rope}")
    # Attention in code of the model's own never calls `ulysses`.
    if not model.is_backend_compatible():
        raise ValueError(f"{config.model_type} does not call ulysses")


# --8<-- [end:check]
# --8<-- [start:step]
def part(tensor: torch.Tensor) -> torch.Tensor:
    parts = tensor.chunk(dist.get_world_size(), dim=1)
    return parts[dist.get_rank()]


def backward(
    model: PreTrainedModel,
    ids: torch.Tensor,
    labels: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    model.train()  # Otherwise, dropout and checkpointing are off.
    # Padded on the right until the ranks get parts of one length.
    missing = -ids.shape[1] % dist.get_world_size()
    ids = pad(ids, (0, missing))
    # Shifted before they are split: a part ends with the next one's token.
    labels = pad(labels[:, 1:], (0, 1 + missing), value=-100)
    positions = torch.arange(ids.shape[1], device=ids.device)[None]

    # On a GPU in bf16; weights and their gradients stay in fp32.
    with torch.autocast("cuda", torch.bfloat16, ids.is_cuda):
        logits = model(
            input_ids=part(ids),
            position_ids=part(positions),
            attention_mask=mask,
            use_cache=False,
        ).logits
        loss = cross_entropy(
            logits.flatten(0, 1), part(labels).flatten(), reduction="sum"
        )
    # Divided by the tokens of all ranks, the gradients only add up.
    (loss / (labels != -100).sum().clamp(min=1)).backward()
    for parameter in model.parameters():
        if parameter.grad is not None:  # not frozen
            dist.all_reduce(parameter.grad)
    return logits


# --8<-- [end:step]
PROCESSES = 2


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step; a shape is (rows, heads, tokens, numbers a head)."""

    tokens_a_row: int
    attended: set[tuple[tuple[int, ...], ...]]
    exchanges: int
    gradients_difference: float


@contextmanager
def attended() -> Iterator[set[tuple[tuple[int, ...], ...]]]:
    """The shapes of the queries and of the keys that attention computes with; a live set."""
    shapes: set[tuple[tuple[int, ...], ...]] = set()
    attention = nn.functional.scaled_dot_product_attention

    def watched(query: torch.Tensor, key: torch.Tensor, *rest: object, **options: object) -> torch.Tensor:
        shapes.add((tuple(query.shape), tuple(key.shape)))
        return attention(query, key, *rest, **options)

    nn.functional.scaled_dot_product_attention = watched
    try:
        yield shapes
    finally:
        nn.functional.scaled_dot_product_attention = attention


def left_padded(ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The rows with their padding before the text, and a mask of all tokens: what each of them attends to."""
    shifts = (mask == 0).sum(1).tolist()
    ids = torch.stack([row.roll(shift) for row, shift in zip(ids, shifts, strict=True)])
    valid = torch.stack([row.roll(shift) for row, shift in zip(mask, shifts, strict=True)]).bool()
    length = ids.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool, device=ids.device).tril()
    own = torch.eye(length, dtype=torch.bool, device=ids.device)  # A row of a softmax must not be empty.
    return ids, causal & valid[:, None, None] | own


def rescaled(model: PreTrainedModel) -> PreTrainedModel:
    """The model with scores that are scaled by another factor than SDPA's own, as some architectures have it."""
    for layer in model.model.layers:
        layer.self_attn.scaling = 1.0
    return model


def step(heads: int = 4, left: bool = False) -> Step:
    """One rank's part of a step on eight rows of other lengths."""
    ids, mask, labels = ragged(length=16 if left else 17)
    whole_mask = None
    if left:
        labels = labels.masked_fill(labels == -100, 0)
        ids, whole_mask = left_padded(ids, mask)
        valid = whole_mask[:, 0, -1]
        labels = ids.masked_fill(~valid, -100)
    model = rescaled(tiny_model(attn_implementation="ulysses", num_key_value_heads=heads))
    with attended() as shapes, CommDebugMode() as communication:
        logits = backward(model, ids, labels, whole_mask)
    one = rescaled(tiny_model(num_key_value_heads=heads))
    one(input_ids=ids, labels=labels, attention_mask=whole_mask).loss.backward()
    return Step(
        tokens_a_row=logits.shape[1],
        attended=shapes,
        exchanges=communication.get_comm_counts()[torch.ops.c10d_functional.all_to_all_single],
        gradients_difference=relative_difference(gradients(model), gradients(one)),
    )


def steps() -> list[Step]:
    """A step with four heads of keys and values, one with a single one, and one with padding before the text."""
    return [step(), step(heads=1), step(left=True)]


def main() -> None:
    for rank, seen in enumerate(on_ranks(steps, PROCESSES)):
        for name, one in zip(("Four KV heads", "One KV head", "Padded on the left"), seen, strict=True):
            ((query, key),) = one.attended
            print(f"Rank {rank}, {name}: {one.tokens_a_row} tokens of each row, {one.exchanges} exchanges")
            print(f"  attends with {query[1]} heads to {key[1]} of keys and values, {query[2]} tokens", end=", ")
            print(f"gradients differ by {one.gradients_difference:.4f}")


if __name__ == "__main__":
    main()
