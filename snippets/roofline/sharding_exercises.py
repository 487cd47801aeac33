"""The answers to the exercises of the page on sharding, computed from its formulas."""

from itertools import count

from communication import LINKS, Link, Step, all_gather, all_reduce, all_to_all, fsdp
from communication_exercises import WEIGHTS_70B, pipeline
from exercises import LLAMA_8B, LLAMA_70B, attention_flops, show, used_weights
from law import H100
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

ADAPTER = Link(LINKS["InfiniBand"])
B200 = (1125e12, 900e9)  # half of its peak in bf16, and its NVLink in one direction
FAST, SLOW = link_ridge(FLOPS, NVLINK.bandwidth), link_ridge(FLOPS, ADAPTER.bandwidth)
EXPERTS = {"DeepSeek V3": 2048, "Qwen3 30B-A3B": 768}  # moe_intermediate_size


def weights_of_layers(config: LlamaConfig) -> float:
    """The weights of all decoder layers, norms left out."""
    return used_weights(config) - config.hidden_size * config.vocab_size


def layer(config: LlamaConfig) -> float:
    """The weights of one decoder layer, norms left out."""
    return weights_of_layers(config) / config.num_hidden_layers


def even_tokens(config: LlamaConfig) -> float:
    """Tokens of all ranks for which tensor parallelism sends 16 bytes per feature, as FSDP sends 8 per weight."""
    return layer(config) / (2 * config.hidden_size)


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


def answers() -> dict[str, tuple[float, str]]:
    """Each answer by its name, with what it is a number of."""
    large, small = (half_ranks(layer(config), config.hidden_size, FAST) for config in (LLAMA_70B, LLAMA_8B))
    sent = 2 * 4096 * LLAMA_70B.hidden_size
    pcie = link_ridge(FLOPS, LINKS["PCIe"])
    halves = Step(WEIGHTS_70B, 4096, FLOPS, recompute=True)
    quarters = Step(WEIGHTS_70B, 8192, FLOPS, recompute=True)
    states, kept = states_405b()
    at_once = step_405b(2)
    return {
        "a sum of a layer": (1000 * all_reduce(sent, 8, NVLINK), "ms"),
        "sent for it": (2 * 7 / 8 * sent / 1e6, "MB"),
        "FSDP and tensor parallelism send as much": (even_tokens(LLAMA_8B), "tokens"),
        "FSDP over PCIe": (tokens_to_hide(6, 8, pcie), "tokens"),
        "FSDP over PCIe, sums in bf16": (tokens_to_hide(4, 8, pcie), "tokens"),
        "half of a step of 70B is sums": (large, "ranks"),
        "half of a step of 8B is sums": (small, "ranks"),
        "half of a step of 70B is sums, 1 adapter": (half_ranks(layer(LLAMA_70B), 8192, SLOW), "ranks"),
        "90 percent of 70B": (ranks_for(0.9, large), "ranks"),
        "90 percent of 8B": (ranks_for(0.9, small), "ranks"),
        "ridge of NVLink, B200": (link_ridge(*B200), "operations"),
        "FSDP on H100": (tokens_to_hide(6, 8, FAST), "tokens"),
        "FSDP on B200": (tokens_to_hide(6, 8, link_ridge(*B200)), "tokens"),
        "keys and values": (context_tokens(key_width(LLAMA_70B), LLAMA_70B.hidden_size, FAST), "tokens"),
        "keys and values, 1 adapter": (context_tokens(key_width(LLAMA_70B), LLAMA_70B.hidden_size, SLOW), "tokens"),
        "expert, NVLink": (expert_width(FAST), "features"),
        "expert, 1 adapter": (expert_width(SLOW), "features"),
        **{f"512 tokens, tensor {each}": (100 * efficiency(512, 8, each, NVLINK), "percent") for each in (1, 2, 4, 8)},
        **{f"hidden with {tokens} tokens": (ranks_to_hide(tokens, 8, FAST), "ranks") for tokens in (512, 256)},
        "256 tokens, tensor 4": (100 * efficiency(256, 8, 4, NVLINK), "percent"),
        "hidden by 2 in tensor parallel": (tokens_to_hide(6 / 2, 4, FAST), "tokens"),
        "95 percent with 2 in tensor parallel": (
            next(tokens for tokens in count(1) if efficiency(tokens, 8, 2, NVLINK) >= 0.95), "tokens"),
        "hidden by 4 in tensor parallel": (tokens_to_hide(6 / 4, 2, FAST), "tokens"),
        "hidden by 8 adapters": (tokens_to_hide(6, 64, link_ridge(FLOPS, ADAPTERS.bandwidth)), "tokens"),
        "70B on 64 ranks, 2 in tensor parallel": (mesh_step(2), "seconds"),
        "70B on 64 ranks, 8 in tensor parallel": (mesh_step(8), "seconds"),
        "exchange of Ulysses": (1000 * heads_exchange(LLAMA_70B, 131_072, 8, NVLINK), "ms"),
        "keys and values gathered": (1000 * keys_gathered(LLAMA_70B, 131_072, 8, NVLINK), "ms"),
        "a layer beside the exchange": (1000 * layer_forward(LLAMA_70B, 131_072, 8), "ms"),
        **{f"{name}, {where}": (expert_width(ridge) / width, "times") for name, width in EXPERTS.items()
           for where, ridge in (("NVLink", FAST), ("1 adapter", SLOW))},
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
    }


if __name__ == "__main__":
    show(answers())
