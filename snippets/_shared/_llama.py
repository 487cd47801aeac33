"""The shapes of Llama 3.1 that several folders reckon with; nothing is downloaded."""

from transformers import LlamaConfig

LLAMA_8B = LlamaConfig(
    vocab_size=128_256,
    hidden_size=4096,
    intermediate_size=14_336,
    num_hidden_layers=32,
    num_attention_heads=32,
    num_key_value_heads=8,
)
LLAMA_405B = LlamaConfig(
    vocab_size=128_256,
    hidden_size=16_384,
    intermediate_size=53_248,
    num_hidden_layers=126,
    num_attention_heads=128,
    num_key_value_heads=8,
)
