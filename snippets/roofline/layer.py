"""A decoder layer by the law: what its matrices, attention and norms do per byte in training, prefill and decoding."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B

# isort: split
from law import H100, Work, attention_flops, cached_numbers, intensity, product, ridge
from token_time import attention
from transformers import DeepseekV3Config, LlamaConfig

DEEPSEEK_V3 = DeepseekV3Config()  # the defaults are its shape
STAGES = {"training": (8192, 8192), "prefill": (1024, 1024), "decoding": (1, 1024)}  # tokens, of context


def matrices(config: LlamaConfig) -> dict[str, tuple[int, int]]:
    """The features that each matrix of a layer takes and gives."""
    hidden, inner = config.hidden_size, config.intermediate_size
    queries, keys = (heads * config.head_dim for heads in (config.num_attention_heads, config.num_key_value_heads))
    return {
        "q": (hidden, queries), "k": (hidden, keys), "v": (hidden, keys), "o": (queries, hidden),
        "gate": (hidden, inner), "up": (hidden, inner), "down": (inner, hidden),
    }  # fmt: skip


def fused_attention(config: LlamaConfig, length: int) -> Work:
    """Causal attention of a sequence in one kernel: queries in, outputs out, keys and values once."""
    queries = 2 * config.num_hidden_layers * config.num_attention_heads * config.head_dim
    return Work(length * attention_flops(config, length / 2), 2 * length * (queries + cached_numbers(config)))


def norm(rows: int, features: int, size: float = 2) -> Work:
    """A norm: about four operations on each number, which is read and written once."""
    return Work(4 * rows * features, 2 * size * rows * features)


def activation(rows: int, features: int) -> Work:
    """SwiGLU between gate, up and down: about five operations on two numbers in, one out."""
    return Work(5 * rows * features, 6 * rows * features)


def expert_weights(config: DeepseekV3Config) -> tuple[int, int]:
    """The weights of all matrices without the embedding, and those that each token is multiplied with."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    queries = config.q_lora_rank * (hidden + heads * config.qk_head_dim)
    keys = hidden * (config.kv_lora_rank + config.qk_rope_head_dim)
    values = config.kv_lora_rank * heads * (config.qk_nope_head_dim + config.v_head_dim)
    output = heads * config.v_head_dim * hidden
    dense = config.first_k_dense_replace
    expert = 3 * hidden * config.moe_intermediate_size
    experts = (config.num_hidden_layers - dense) * expert
    shared = config.num_hidden_layers * (queries + keys + values + output) + hidden * config.vocab_size
    shared += dense * 3 * hidden * config.intermediate_size + experts * config.n_shared_experts
    shared += (config.num_hidden_layers - dense) * hidden * config.n_routed_experts  # the router
    return shared + experts * config.n_routed_experts, shared + experts * config.num_experts_per_tok


def works(config: LlamaConfig, tokens: int, context: int) -> dict[str, Work]:
    """Each work of a layer on so many tokens; one token alone attends to a cache."""
    found = {name: product(tokens, *shape) for name, shape in matrices(config).items()}
    found["attention"] = attention(config, 1, context) if tokens == 1 else fused_attention(config, tokens)
    small = {"norm": norm(tokens, config.hidden_size), "SwiGLU": activation(tokens, config.intermediate_size)}
    return found | small


def main() -> None:
    print(f"A layer of Llama 3.1 8B; an H100 is compute-bound above {ridge(H100):.0f} operations per byte:")
    print("  " + ", ".join(f"{stage} of {tokens} over {context}" for stage, (tokens, context) in STAGES.items()))
    stages = [works(LLAMA_8B, *sizes) for sizes in STAGES.values()]
    for name, (inner, columns) in matrices(LLAMA_8B).items():
        weights = inner * columns / 1e6
        print(f"  {name}: {inner} x {columns}, {weights:.1f} million weights, {2 * weights:.1f} million operations")
    layers = LLAMA_8B.num_hidden_layers
    print(f"  cache: {2 * cached_numbers(LLAMA_8B) // layers} bytes per token, "
          f"{attention_flops(LLAMA_8B, 1) // layers} operations")
    for name in stages[0]:
        print(f"  {name}, operations per byte: " + ", ".join(f"{intensity(work[name]):.0f}" for work in stages))
    whole, used = expert_weights(DEEPSEEK_V3)
    print("Weights without the embedding:")
    print(f"  DeepSeek V3, all: {whole / 1e9:.1f} billion\n  DeepSeek V3, used: {used / 1e9:.1f} billion")


if __name__ == "__main__":
    main()
