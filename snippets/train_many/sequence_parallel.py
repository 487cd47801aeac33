"""Sequence parallelism: every process has a part of each row, and swaps it for some heads of all of it to attend."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from _train_many import gradients, on_ranks, relative_difference, single_process_gradients, tiny_model, tokens
from torch import nn
from torch.distributed._functional_collectives import all_to_all_single_autograd
from torch.distributed.tensor.debug import CommDebugMode
from torch.nn.functional import cross_entropy, pad
from transformers import AttentionInterface

PROCESSES = 2


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step; a shape is (rows, heads, tokens, numbers a head)."""

    tokens_a_row: int
    attended: set[tuple[int, ...]]
    exchanges: int
    logits_difference: float
    gradients_difference: float


# --8<-- [start:swap]
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
def ulysses(module, query, key, value, mask, **options):
    # From all heads of some tokens to some heads of all tokens,
    states = [swap(part, HEADS, LENGTH) for part in (query, key, value)]
    attend = nn.functional.scaled_dot_product_attention
    output = attend(*states, is_causal=True)
    # and back.
    return swap(output, LENGTH, HEADS).transpose(1, 2), None


AttentionInterface.register("ulysses", ulysses)
# --8<-- [end:attention]


@contextmanager
def attended() -> Iterator[set[tuple[int, ...]]]:
    """The shapes of the queries that attention computes with; a live set."""
    shapes: set[tuple[int, ...]] = set()
    attention = nn.functional.scaled_dot_product_attention

    def watched(query: torch.Tensor, *rest: object, **options: object) -> torch.Tensor:
        shapes.add(tuple(query.shape))
        return attention(query, *rest, **options)

    nn.functional.scaled_dot_product_attention = watched
    try:
        yield shapes
    finally:
        nn.functional.scaled_dot_product_attention = attention


def part(tensor: torch.Tensor) -> torch.Tensor:
    """This rank's part of each row."""
    return tensor.chunk(dist.get_world_size(), dim=1)[dist.get_rank()]


def backward(model: nn.Module, rows: torch.Tensor) -> torch.Tensor:
    """The logits of this rank's part; the gradients of all rows are in the model."""
    # --8<-- [start:step]
    # Shifted before they are split: a part ends with the next one's token.
    labels = pad(rows[:, 1:], (0, 1), value=-100)
    positions = torch.arange(rows.shape[1], device=rows.device)[None]

    logits = model(
        input_ids=part(rows), position_ids=part(positions)
    ).logits
    loss = cross_entropy(
        logits.flatten(0, 1), part(labels).flatten(), reduction="sum"
    )
    # Divided by the tokens of all ranks, the gradients only add up.
    (loss / (labels != -100).sum()).backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    # --8<-- [end:step]
    return logits


def step() -> Step:
    """One rank's part of a step on eight rows."""
    rows = tokens(rows=8)
    model = tiny_model(attn_implementation="ulysses")
    with attended() as shapes, CommDebugMode() as communication:
        logits = backward(model, rows)
    expected = tiny_model()(input_ids=rows).logits
    return Step(
        tokens_a_row=logits.shape[1],
        attended=shapes,
        exchanges=communication.get_comm_counts()[torch.ops.c10d_functional.all_to_all_single],
        logits_difference=relative_difference({"logits": logits}, {"logits": part(expected)}),
        gradients_difference=relative_difference(gradients(model), single_process_gradients(rows)),
    )


def main() -> None:
    for rank, seen in enumerate(on_ranks(step, PROCESSES)):
        shapes = ", ".join(f"{heads} heads of {length} tokens" for _, heads, length, _ in seen.attended)
        print(f"Rank {rank}: {seen.tokens_a_row} tokens of each row; attends with {shapes}; {seen.exchanges} exchanges")
        print(f"  difference from one process: logits {seen.logits_difference:.4f}", end=", ")
        print(f"gradients {seen.gradients_difference:.4f}")


if __name__ == "__main__":
    main()
