"""Memory by technique and by kind of what it holds, for Llama 3.2 3B: simulated, no weight is ever stored."""

# --8<-- [start:imports]
from transformers import LlamaConfig, LlamaForCausalLM

# --8<-- [end:imports]
from techniques import show


# --8<-- [start:model]
def llama_3b():
    config = LlamaConfig(
        vocab_size=128_256,
        hidden_size=3072,
        intermediate_size=8192,
        num_hidden_layers=28,
        num_attention_heads=24,
        num_key_value_heads=8,
        tie_word_embeddings=True,
    )
    return LlamaForCausalLM(config)


# --8<-- [end:model]


def main() -> None:
    # --8<-- [start:show]
    show("llama-3.2-3b", llama_3b, length=512)
    # --8<-- [end:show]


if __name__ == "__main__":
    main()
