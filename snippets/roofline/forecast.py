"""How long a run takes and what it costs, by the law: for any decoder, its experts and windows included."""

import sys
from pathlib import Path
from typing import Any

from law import H100
from published import DATA

sys.path.append(str(Path(__file__).parent.parent / "memory"))
from estimate import MODELS, Shape, inference
from estimate_experts import MIXTURES, Mixture, cached_by_mixture, numbers

# isort: split
# --8<-- [start:model]
from dataclasses import dataclass

from communication import Link, all_gather, all_reduce, reduce_scatter
from law import Device, Work, seconds


@dataclass(frozen=True)
class Model:
    weights: float  # that every token is multiplied with
    layers: int
    hidden: int
    width: float  # of all queries of a token
    cache: int  # numbers per token and layer
    experts: float = 0  # weights of all experts
    share: float = 1  # of the experts, for each token
    window: int = 0  # tokens that the windowed layers attend to
    windowed: int = 0  # layers with a sliding window
    head: float = 0  # of the weights, those of the output layer


# Tokens that a token attends to, over all layers.
def attended(model: Model, context: float) -> float:
    full = model.layers - model.windowed
    return full * context + model.windowed * min(context, model.window)


# Operations of one token in the forward pass.
def flops(model: Model, context: float) -> float:
    weights = model.weights + model.share * model.experts
    return 2 * weights + 4 * model.width * attended(model, context)
# --8<-- [end:model]


# --8<-- [start:training]
# In more than one machine of 8 GPUs, a ring passes through the network
# cards of all 8; `network` is the rate of one GPU's share of them.
def ring(gpus: int, link: Link, network: Link) -> Link:
    cards = 8 * network.bandwidth
    return link if gpus <= 8 else Link(min(link.bandwidth, cards))


# Three forward passes' worth, one more with checkpointing; two, and one
# more, if the weights are frozen. FSDP gathers the weights twice in 16
# bits and scatters the gradients in 32; what it hides costs nothing.
# `share` is what the products reach of the peak; links reach all of it.
def training_step(
    model: Model,
    device: Device,
    batch: int,
    length: int,
    passes: int = 3,
    gpus: int = 1,
    link: Link | None = None,
    share: float = 1,
) -> float:
    operations = passes * batch * length * flops(model, length / 2)
    compute = operations / device.flops / share
    if gpus == 1 or link is None:
        return compute
    weights = model.weights + model.experts
    gathered = 2 * all_gather(2 * weights, gpus, link)
    return max(compute, gathered + reduce_scatter(4 * weights, gpus, link))


def days(tokens: float, step: float, tokens_per_step: int) -> float:
    return tokens / tokens_per_step * step / 86_400


def cost(run_days: float, gpus: int, price_per_hour: float) -> float:
    return 24 * run_days * gpus * price_per_hour
# --8<-- [end:training]


# --8<-- [start:inference]
# Two all-reduces per layer of tensor parallelism, counted as not hidden.
def summed(
    model: Model, tokens: int, gpus: int, link: Link | None
) -> float:
    if gpus == 1 or link is None:
        return 0
    one = all_reduce(2 * tokens * model.hidden, gpus, link)
    return 2 * model.layers * one


# A batch with one token of each sequence and `read` tokens of prompts,
# each of which attends to `seen` tokens. Its products, its attention
# over the caches and that inside the prompts run one after the other.
# Together, the tokens meet most of the experts.
def mixed_batch(
    model: Model,
    batch: int,
    context: int,
    read: float,
    seen: float,
    weight: float,
    cache: float,
) -> tuple[Work, Work, Work]:
    active = model.weights + model.share * model.experts
    met = 1 - (1 - model.share) ** (batch + read)
    cached = batch * attended(model, context)
    inside = read * attended(model, seen)
    return (
        Work(
            2 * (active * batch + (active - model.head) * read),
            weight * (model.weights + met * model.experts),
        ),
        Work(4 * model.width * cached, cache * model.cache * cached),
        Work(4 * model.width * inside, 0),
    )


# One token for each sequence. A request ends after `answer` tokens, and
# the next one's prompt is read in the same batches. `shares` are what
# decoding and what the prompts add reach of the peak.
def token(
    model: Model,
    device: Device,
    batch: int,
    context: int,
    weight: float = 2,
    cache: float = 2,
    gpus: int = 1,
    link: Link | None = None,
    shares: tuple[float, float] = (1, 1),
    prompt: int = 0,
    answer: int = 1,
) -> float:
    def taken(read: float) -> float:
        of = (model, batch, context, read, prompt / 2, weight, cache)
        return sum(seconds(work, device) for work in mixed_batch(*of))

    read = batch * prompt / answer
    decoding, mixed = taken(0), taken(read)
    alone = decoding / shares[0] + (mixed - decoding) / shares[1]
    return alone / gpus + summed(model, batch + read, gpus, link)


# The prompt of one sequence, until its first token. Only the last token
# of the prompt passes the output layer.
def first_token(
    model: Model,
    device: Device,
    prompt: int,
    weight: float = 2,
    gpus: int = 1,
    link: Link | None = None,
    share: float = 1,
) -> float:
    weights = weight * (model.weights + model.experts)
    skipped = 2 * model.head * (prompt - 1)
    work = Work(prompt * flops(model, prompt / 2) - skipped, weights)
    alone = seconds(work, device) / share
    return alone / gpus + summed(model, prompt, gpus, link)


# The most sequences whose tokens take at most `limit` seconds each.
def largest_batch(limit, most, model, device, context, *options) -> int:
    low, high = 0, most
    while low < high:
        batch = (low + high + 1) // 2
        if token(model, device, batch, context, *options) <= limit:
            low = batch
        else:
            high = batch - 1
    return low
# --8<-- [end:inference]


def model_of(shape: Shape | Mixture) -> Model:
    """What the law needs of a shape; the vectors, a millionth of the weights, are left out."""
    head = shape.vocabulary * shape.hidden
    window = (shape.window, shape.windowed)
    if not hasattr(shape, "experts"):
        query, key = shape.widths()
        weights = shape.layers * numbers(shape.linear()) + head
        return Model(weights, shape.layers, shape.hidden, query, 2 * key, 0, 1, *window, head)
    query, _, value = shape.widths()
    others = shape.over_layers(lambda dense: numbers([*shape.attention(), *shape.mlp(dense)]))
    experts = (shape.layers - shape.dense) * numbers(shape.stacks())
    width = (query + value) / 2 if shape.kv_rank else query
    return Model(others + head, shape.layers, shape.hidden, width, cached_by_mixture(shape), experts,
                 shape.active / shape.experts, *window, head)


NVLINK = Link(450e9)  # of an H100, in one direction
# GB, and by the data sheets operations and bytes per second, as in the calculator.
GPUS = {
    "L4": (24, Device(121e12, 300e9)),
    "RTX 4090": (24, Device(165.2e12, 1008e9)),
    "L40S": (48, Device(362e12, 864e9)),
    "A100": (80, Device(312e12, 2039e9)),
    "H100": (80, H100),
}


CONTEXT, ANSWER = 8192, 256  # of the tables: tokens of a request, and those of its answer
REQUESTS = (CONTEXT - ANSWER, ANSWER)


def room(shape: Shape, memory: float, context: int) -> int:
    """The sequences whose caches fit beside the weights, in bf16."""
    held = inference(shape, 1, context)
    return max(0, int((memory * 1e9 - held["weights"] - held["workspace"]) // held["cache"]))


def sequences(shape: Shape, memory: float, device: Device, context: int, limit: float, *more: Any) -> int:
    """The most sequences in bf16 that fit, with tokens of at most `limit` seconds each; then as `token` has it."""
    return largest_batch(limit, room(shape, memory, context), model_of(shape), device, context, 2, 2, 1, None, *more)


def main() -> None:
    print("On H100s at least: ms until the first token of 1,024, ms per token alone and of a batch of 64 with 2,048:")
    for name, shape in (MODELS | MIXTURES).items():
        model = model_of(shape)
        gpus = 1 if 2 * (model.weights + model.experts) < 70e9 else 8
        served = (gpus, NVLINK)
        first = first_token(model, H100, 1024, 2, *served)
        alone, many = (token(model, H100, batch, 2048, 2, 2, *served) for batch in (1, 64))
        print(f"  {name:18}{gpus:>2} GPUs" + "".join(f"{1000 * each:>9.2f}" for each in (first, alone, many)))
    step = training_step(model_of(MODELS["Llama 3.1 8B"]), H100, 1, 8192, 4, 8, NVLINK)
    run = days(1e9, step, 8 * 8192)
    print("Sequences of 8,192 tokens that an 8B model serves at 50 ms per token, and if all but 256 are prompts:")
    bands = [*zip(DATA["bands"]["decode"]["16"], DATA["bands"]["first"], strict=True)]
    for name, (memory, device) in GPUS.items():
        served = [sequences(MODELS["Llama 3.1 8B"], memory, device, CONTEXT, 0.05, *more)
                  for more in ((), ((1, 1), *REQUESTS), *((shares, *REQUESTS) for shares in bands))]
        print("  50 ms on {}: decoding {}, law {}, least {}, most {} sequences".format(name, *served))
    print(f"A billion tokens through 8B on 8 H100s, with checkpointing, days at least: {run:.2f}")


if __name__ == "__main__":
    main()
