"""The answers to the exercises of the page on sharding, computed from its formulas."""

from itertools import count

from communication import LINKS, Link, Step, all_gather, all_reduce, all_to_all, fsdp, reduce_scatter
from communication_exercises import (
    CHOSEN,
    DELAYED,
    HIDDEN,
    LAYERS_OF_EXPERTS,
    WEIGHTS_70B,
    exchange,
    half_rate,
    pipeline,
)
from estimate import MODELS, activations_of_layer
from exercises import LLAMA_8B, LLAMA_70B, attention_flops, show, used_weights
from law import H100
from layer import DEEPSEEK_V3, expert_weights
from sharding import (
    ADAPTERS,
    FLOPS,
    NVLINK,
    context_tokens,
    efficiency,
    expert_width,
    half_ranks,
    link_ridge,
    mixed,
    tokens_to_hide,
)
from transformers import LlamaConfig

from _llama import LLAMA_405B  # isort: skip

ADAPTER = DELAYED["InfiniBand"]
# Half of its peak in bf16, and of its NVLink the same share as on an H100.
B200 = (1125e12, 900e9 * NVLINK.bandwidth / LINKS["NVLink"])
FAST, SLOW = link_ridge(FLOPS, NVLINK.bandwidth), link_ridge(FLOPS, ADAPTER.bandwidth)
# The run with thousands of GPUs: tokens per step, and the interleaved stages of each rank.
GPUS, BATCH, CHUNKS, DAY = 4096, 2**22, 5, 24 * 60 * 60


def weights_of_layers(config: LlamaConfig) -> float:
    """The weights of all decoder layers, norms left out."""
    return used_weights(config) - config.hidden_size * config.vocab_size


def layer(config: LlamaConfig) -> float:
    """The weights of one decoder layer, norms left out."""
    return weights_of_layers(config) / config.num_hidden_layers


def ranks_for(share: float, half: float) -> float:
    """Ranks of tensor parallelism that still compute for this share of the step."""
    return 1 + (half - 1) * (1 - share) / share


def ranks_to_hide(tokens: float, ranks: int, ridge: float) -> float:
    """Ranks that share each product so that FSDP over the other axis is just hidden: `tokens_to_hide` solved for it."""
    return 1.5 * ridge * ranks / (ranks * tokens + 1.5 * ridge)


def key_width(config: LlamaConfig) -> int:
    """Numbers of a token's keys in a layer, and as many of its values."""
    return config.num_key_value_heads * config.head_dim


def heads_exchange(config: LlamaConfig, tokens: float, ranks: int, link: Link) -> float:
    """Seconds in which Ulysses exchanges queries, keys, values and the output of a layer in the forward pass."""
    width = 2 * config.num_attention_heads * config.head_dim + 2 * key_width(config)
    return all_to_all(2 * width * tokens / ranks, ranks, link)


def keys_gathered(config: LlamaConfig, tokens: float, ranks: int, link: Link) -> float:
    """Seconds in which context parallelism gathers the keys and values of a layer in the forward pass."""
    return all_gather(2 * 2 * key_width(config) * tokens, ranks, link)


def layer_forward(config: LlamaConfig, tokens: float, ranks: int) -> float:
    """Seconds of a layer's forward pass on one of the ranks that share a sequence; it sees half of it on average."""
    attention = attention_flops(config, tokens / 2) / config.num_hidden_layers
    return (2 * layer(config) + attention) * tokens / ranks / FLOPS


def mesh_step(tensor: int) -> float:
    """A step of the 70B model with 32 sequences on 64 ranks, of which so many share each product in a machine."""
    step = Step(WEIGHTS_70B, 32 * 4096 / 64, FLOPS, recompute=True)
    between = Link(ADAPTERS.bandwidth / tensor)
    return mixed(step, 64 // tensor, tensor, NVLINK, between, LLAMA_70B.num_hidden_layers, LLAMA_70B.hidden_size)


def step_8b(way: str) -> float:
    """A step of an 8B model on 256 ranks with half a sequence of 8,192 tokens each, which pairs of them share."""
    config = LLAMA_8B
    step = Step(used_weights(config), 4096, FLOPS)
    layers, hidden = config.num_hidden_layers, config.hidden_size
    if way == "tensor":
        return mixed(step, 128, 2, NVLINK, Link(ADAPTERS.bandwidth / 2), layers, hidden)
    # The backward pass gathers again, and scatters the gradients of keys and values.
    return fsdp(step, 256, ADAPTERS) + 3 * layers * keys_gathered(config, 8192, 2, NVLINK)


def microbatches_for(share: float, ranks: int, stages: int = 1) -> float:
    """Microbatches with which this share of the time is waiting, if each rank has so many stages."""
    return (1 / share - 1) * (ranks - 1) / stages


def step_405b(sequences: int) -> float:
    """A step of 405B with 64 sequences of 8,192 tokens: groups of 8 that take so many at once, on 16 machines."""
    config = LLAMA_405B
    step = Step(used_weights(config), sequences * 8192 / 8, FLOPS, recompute=True)
    one = mixed(step, 16, 8, NVLINK, ADAPTER, config.num_hidden_layers, config.hidden_size)
    return 64 / 16 / sequences * one


def states_405b() -> tuple[float, float]:
    """GB on each of 128 ranks: AdamW in fp32, and the inputs that two sequences keep, which 8 ranks share."""
    config = LLAMA_405B
    weights = used_weights(config) + config.vocab_size * config.hidden_size  # the embedding
    kept = config.num_hidden_layers * config.hidden_size * 2 * 2 * 8192
    return 16 * weights / 128 / 1e9, kept / 8 / 1e9


def run_days(step: float, batch: float = BATCH) -> float:
    """Days in which a run with 15 trillion tokens is done."""
    return 15e12 / batch * step / DAY


def tokens_with_rounds(tensor: int) -> float:
    """Tokens per rank from which FSDP of 70B is hidden on 4,096 ranks, of which so many share each product.

    Each layer is gathered and scattered in rounds, which have their latency: `tokens_to_hide` leaves it out.
    """
    held, groups = layer(LLAMA_70B) / tensor, GPUS // tensor
    sent = all_gather(2 * held, groups, ADAPTER) + reduce_scatter(4 * held, groups, ADAPTER)
    return sent * FLOPS / (4 * held * tensor)


def tensor_step(tensor: int, batch: float = BATCH) -> float:
    """A step of the 70B model on 4,096 ranks, of which so many share each product, if nothing else is sent."""
    step, layers = Step(WEIGHTS_70B, batch / GPUS, FLOPS), LLAMA_70B.num_hidden_layers
    one = all_reduce(2 * step.tokens * tensor * LLAMA_70B.hidden_size, tensor, NVLINK)
    return step.forward() + step.backward() + step.sums() * layers * one


def shared_once(stages: int, tensor: int) -> float:
    """Seconds in which ZeRO stage 1 scatters gradients in fp32 and gathers weights in bf16 over the copies of a stage.
    """
    held, copies = WEIGHTS_70B / (stages * tensor), GPUS // (stages * tensor)
    return reduce_scatter(4 * held, copies, ADAPTER) + all_gather(2 * held, copies, ADAPTER)


def stages_step(stages: int, tensor: int = 8, batch: float = BATCH) -> float:
    """A step in pipeline stages, a sequence of 4,096 tokens in each microbatch; nothing hides what is sent once."""
    microbatches = batch / 4096 * stages * tensor / GPUS
    waits = (stages - 1) / (CHUNKS * microbatches)
    return (1 + waits) * tensor_step(tensor, batch) + shared_once(stages, tensor)


def kept_gb(stages: int, tensor: int) -> float:
    """GB of activations of the first stage: those of all layers of a microbatch, and more if stages are interleaved."""
    bytes_of_token = LLAMA_70B.num_hidden_layers * activations_of_layer(MODELS["Llama 3.1 70B"], "bf16", 4096)
    return (1 + (stages - 1) / (CHUNKS * stages)) * 4096 * bytes_of_token / tensor / 1e9


def stages_gb(stages: int, tensor: int) -> float:
    """GB on a rank: weights in bf16, gradients in fp32, its share of the states in fp32, and the activations."""
    weights = WEIGHTS_70B + LLAMA_70B.vocab_size * LLAMA_70B.hidden_size  # the embedding
    return weights * (6 / (stages * tensor) + 12 / GPUS) / 1e9 + kept_gb(stages, tensor)


def mixture_step() -> tuple[float, float]:
    """Seconds of computing and of the exchange in a step of DeepSeek V3 on each of 2,048 ranks, by 64 with all experts.

    The tokens travel there and back in both passes, in bf16.
    """
    tokens = 15_360 * 4096 / 2048
    computing = 6 * expert_weights(DEEPSEEK_V3)[1] * tokens / FLOPS
    return computing, 4 * LAYERS_OF_EXPERTS * exchange(2 * tokens * CHOSEN * HIDDEN, 64)


def answers() -> dict[str, tuple[float, str]]:
    """Each answer by its name, with what it is a number of."""
    large, small = (half_ranks(layer(config), config.hidden_size, FAST) for config in (LLAMA_70B, LLAMA_8B))
    sent = 2 * 4096 * LLAMA_70B.hidden_size
    halves = Step(WEIGHTS_70B, 4096, FLOPS, recompute=True)
    quarters = Step(WEIGHTS_70B, 8192, FLOPS, recompute=True)
    states, kept = states_405b()
    machine = link_ridge(FLOPS, ADAPTERS.bandwidth)
    whole, used = expert_weights(DEEPSEEK_V3)
    sparse = whole / used
    computing, exchanged = mixture_step()
    thousands = Step(WEIGHTS_70B, BATCH / GPUS, FLOPS)
    busy = thousands.forward() + thousands.backward()
    shared = mixed(thousands, GPUS // 8, 8, NVLINK, ADAPTER, LLAMA_70B.num_hidden_layers, LLAMA_70B.hidden_size)
    ways = {"FSDP": shared} | {f"{stages} stages": stages_step(stages) for stages in (4, 8, 16)}
    at_once = step_405b(2)
    return {
        "a sum of a layer": (1000 * all_reduce(sent, 8, NVLINK), "ms"),
        "sent for it": (2 * 7 / 8 * sent / 1e6, "MB"),
        "half of a step of 70B is sums": (large, "ranks"),
        "half of a step of 8B is sums": (small, "ranks"),
        "half of a step of 70B is sums, 1 adapter": (half_ranks(layer(LLAMA_70B), 8192, SLOW), "ranks"),
        "latency as long as the bytes, 70B": (half_rate(NVLINK) / (2 * LLAMA_70B.hidden_size), "tokens"),
        "latency as long as the bytes, 8B": (half_rate(NVLINK) / (2 * LLAMA_8B.hidden_size), "tokens"),
        "90 percent of 70B": (ranks_for(0.9, large), "ranks"),
        "90 percent of 8B": (ranks_for(0.9, small), "ranks"),
        "ridge of NVLink, B200": (link_ridge(*B200), "operations"),
        "FSDP on H100": (tokens_to_hide(6, 8, FAST), "tokens"),
        "FSDP on B200": (tokens_to_hide(6, 8, link_ridge(*B200)), "tokens"),
        "FSDP on B200, 8 machines": (tokens_to_hide(6, 64, link_ridge(B200[0], ADAPTERS.bandwidth)), "tokens"),
        "keys and values": (context_tokens(key_width(LLAMA_70B), LLAMA_70B.hidden_size, FAST), "tokens"),
        "keys and values, 1 adapter": (context_tokens(key_width(LLAMA_70B), LLAMA_70B.hidden_size, SLOW), "tokens"),
        "expert, NVLink": (expert_width(FAST), "features"),
        "expert, 1 adapter": (expert_width(SLOW), "features"),
        **{f"512 tokens, tensor {each}": (100 * efficiency(512, 8, each, NVLINK), "percent") for each in (1, 2, 4, 8)},
        "64 tokens, tensor 8": (100 * efficiency(64, 8, 8, NVLINK), "percent"),
        **{f"hidden with {tokens} tokens": (ranks_to_hide(tokens, 8, FAST), "ranks") for tokens in (512, 256)},
        "256 tokens, tensor 4": (100 * efficiency(256, 8, 4, NVLINK), "percent"),
        "95 percent with 2 in tensor parallel": (
            next(tokens for tokens in count(1) if efficiency(tokens, 8, 2, NVLINK) >= 0.95), "tokens"),
        "hidden by 8 adapters": (tokens_to_hide(6, 64, machine), "tokens"),
        "70B on 64 ranks, 2 in tensor parallel": (mesh_step(2), "seconds"),
        "70B on 64 ranks, 8 in tensor parallel": (mesh_step(8), "seconds"),
        "exchange of Ulysses": (1000 * heads_exchange(LLAMA_70B, 131_072, 8, NVLINK), "ms"),
        "keys and values gathered": (1000 * keys_gathered(LLAMA_70B, 131_072, 8, NVLINK), "ms"),
        "a layer beside the exchange": (1000 * layer_forward(LLAMA_70B, 131_072, 8), "ms"),
        "weights of DeepSeek V3, all to used": (sparse, "times"),
        "FSDP of DeepSeek V3": (tokens_to_hide(6 * sparse, 2048, machine), "tokens"),
        "DeepSeek V3, computing": (computing, "seconds"),
        "DeepSeek V3, exchange": (exchanged, "seconds"),
        "DeepSeek V3, exchange with 4 machines": (exchanged / 2, "seconds"),  # 3.5 of 7 others, not 7 of 8 experts
        "2 stages, 2 microbatches": (pipeline(halves, 8, NVLINK, 2, 2), "seconds"),
        "2 stages, 4 microbatches": (pipeline(quarters, 8, NVLINK, 2, 4), "seconds"),
        "a tenth of waiting": (microbatches_for(0.1, 16), "microbatches"),
        "a tenth of waiting, 4 stages per rank": (microbatches_for(0.1, 16, 4), "microbatches"),
        "8B on 256 ranks, pairs in tensor parallel": (step_8b("tensor"), "seconds"),
        "8B on 256 ranks, pairs in context parallel": (step_8b("context"), "seconds"),
        "8B, attention": (50 * attention_flops(LLAMA_8B, 4096) / used_weights(LLAMA_8B), "percent"),
        "405B, states": (states, "GB"),
        "405B, kept inputs": (kept, "GB"),
        "405B, 1 sequence at once": (step_405b(1), "seconds"),
        "405B, 2 sequences at once": (at_once, "seconds"),
        "405B, tokens": (64 * 8192 / at_once, "per second"),
        "405B, MFU": (100 * 6 * used_weights(LLAMA_405B) * 64 * 8192 / 128 / at_once / H100.flops, "percent"),
        "4096 GPUs, computing": (busy, "seconds"),
        "4096 GPUs, days of computing": (run_days(busy), "days"),
        "4096 GPUs, hidden": (tokens_with_rounds(8), "tokens"),
        "4096 GPUs, a layer": (2 * layer(LLAMA_70B) / 8 / 1e6, "MB"),
        "4096 GPUs, half the rate": (GPUS / 8 * half_rate(ADAPTER) / 1e6, "MB"),
        "4096 GPUs, rounds": (3 * LLAMA_70B.num_hidden_layers * (GPUS / 8 - 1) * ADAPTER.latency, "seconds"),
        **{f"4096 GPUs, {way}": (taken, "seconds") for way, taken in ways.items()},
        **{f"4096 GPUs, {way}, computing": (100 * busy / taken, "percent") for way, taken in ways.items()},
        **{f"4096 GPUs, {way}, run": (run_days(taken), "days") for way, taken in ways.items()},
        "4096 GPUs, sums": (tensor_step(8) - busy, "seconds"),
        "4096 GPUs, 16 stages, sent once": (shared_once(16, 8), "seconds"),
        "4096 GPUs, 16 stages, twice the batch": (100 * 2 * busy / stages_step(16, batch=2 * BATCH), "percent"),
        "4096 GPUs, activations, tensor 2": (kept_gb(1, 2), "GB"),
        **{f"4096 GPUs, {stages} stages, tensor {tensor}, memory": (stages_gb(stages, tensor), "GB")
           for stages, tensor in ((2, 4), (4, 4), (1, 8), (16, 8))},
        "4096 GPUs, 16 stages, tensor 4": (stages_step(16, 4), "seconds"),
    }


if __name__ == "__main__":
    show(answers())
