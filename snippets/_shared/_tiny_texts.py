"""What a program for texts starts from: a tiny Llama in bf16 with a tokenizer of bytes, saved as a checkpoint is."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast

TEXTS = [f"{number} times {number} is {number**2}." for number in range(1, 81)]


def save_checkpoint(folder: Path, **config: object) -> str:
    """Save the model and its tokenizer, which has an end token and none for padding, as that of Llama 3."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {character: number for number, character in enumerate([*alphabet, "<|end|>"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>").save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    shape = LlamaConfig(vocab_size=len(vocabulary), num_key_value_heads=2, **(sizes | config))
    AutoModelForCausalLM.from_config(shape, dtype=torch.bfloat16).save_pretrained(folder)
    return str(folder)
