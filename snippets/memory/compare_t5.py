"""T5's estimate beside the simulation: the same steps by formulas and on fake tensors, with the kernels of a GPU."""

from functools import partial
from unittest.mock import patch

import torch
import torch.nn.functional as F
from compare import TRAINED, dropout_of_a_gpu, show, simulated_step
from estimate_t5 import BUCKETS, T5, EncoderDecoder, inference_of_t5, training_of_t5
from torch import nn
from transformers import AutoModelForSeq2SeqLM, PreTrainedModel, T5Config
from transformers.cache_utils import DynamicCache, EncoderDecoderCache

from peak import FakeTensorMode, PeakMemory


def encoder_decoder(shape: EncoderDecoder, dtype: torch.dtype) -> PreTrainedModel:
    """T5 of this shape. `T5Config` always ties the output layer; a checkpoint that has its own keeps it."""
    config = T5Config(
        vocab_size=shape.vocabulary,
        d_model=shape.hidden,
        d_kv=shape.head_size,
        d_ff=shape.intermediate,
        num_layers=shape.layers,
        num_decoder_layers=shape.decoder_layers,
        num_heads=shape.heads,
        relative_attention_num_buckets=BUCKETS,
        feed_forward_proj="gated-gelu" if shape.gated else "relu",
        tie_word_embeddings=shape.tied,
        decoder_start_token_id=0,
    )
    model = AutoModelForSeq2SeqLM.from_config(config, dtype=dtype)
    if not shape.tied:
        model.lm_head.weight = nn.Parameter(torch.empty_like(model.lm_head.weight))
    return model


def attention_of_a_gpu(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
                       attn_mask: torch.Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
                       scale: float | None = None) -> torch.Tensor:
    """The memory-efficient kernel, which takes a bias that is trained; a CPU has no fused kernel for that."""
    if torch.is_autocast_enabled("cpu"):
        query, key, value = (each.bfloat16() for each in (query, key, value))
        attn_mask = None if attn_mask is None else attn_mask.bfloat16()
    if attn_mask is not None:
        attn_mask = attn_mask.expand(*query.shape[:3], key.shape[2])
    tensors, trained = (query, key, value, attn_mask), torch.is_grad_enabled()
    kernel = torch.ops.aten._scaled_dot_product_efficient_attention
    return kernel(*tensors, trained, dropout_p, is_causal, scale=scale)[0]


def simulated_t5_training(shape: EncoderDecoder, batch: int, length: int, **step: object) -> dict[str, int]:
    """Bytes by kind at the peak of the simulated step that `training_of_t5` estimates."""
    kernel = patch.object(F, "scaled_dot_product_attention", attention_of_a_gpu)
    with kernel, patch.object(F, "dropout", dropout_of_a_gpu):
        return simulated_step(partial(encoder_decoder, shape), batch, length, **step)


def simulated_t5_inference(shape: EncoderDecoder, batch: int, length: int) -> dict[str, int]:
    """Bytes by kind at the peak of reading a text and of the last token of an answer of the same length, in bf16."""
    memory = PeakMemory()
    kernel = patch.object(F, "scaled_dot_product_attention", attention_of_a_gpu)
    with kernel, FakeTensorMode(), torch.no_grad():
        model = encoder_decoder(shape, torch.bfloat16).eval()
        memory.label("weights", model.parameters())
        tokens = torch.zeros(batch, length, dtype=torch.long)
        caches = EncoderDecoderCache(DynamicCache(), DynamicCache())
        with memory:
            text = model.encoder(tokens)
            for layer, block in enumerate(model.decoder.block):
                known = (each(text[0]) for each in (block.layer[1].EncDecAttention.k, block.layer[1].EncDecAttention.v))
                heads = batch, length, shape.heads, shape.head_size
                caches.cross_attention_cache.update(*(each.view(heads).transpose(1, 2) for each in known), layer)
                caches.is_updated[layer] = True
        written = batch, shape.heads, length - 1, shape.head_size
        for layer in range(shape.decoder_layers):
            caches.self_attention_cache.update(*torch.zeros(2, *written, dtype=torch.bfloat16).unbind(), layer)
        both = [*caches.self_attention_cache.layers, *caches.cross_attention_cache.layers]
        memory.label("cache", (each for layer in both for each in (layer.keys, layer.values)))
        with memory:
            model(encoder_outputs=text, decoder_input_ids=tokens[:, :1], past_key_values=caches)
        memory.label("cache", (each for layer in both for each in (layer.keys, layer.values)))
    return memory.peak()


def main() -> None:
    print(f"{'GB at the peak':48}{'simulated':>10}{'estimated':>10}{'percent':>10}")
    for name in ("t5-base", "t5-3b", "flan-t5-xl"):
        step = (T5[name], 4, 512)
        for method, options in TRAINED.items():
            show(f"{name}, {method}", simulated_t5_training(*step, **options), training_of_t5(*step, **options)[1])
        show(f"{name}, inference", simulated_t5_inference(*step), inference_of_t5(*step)[1])


if __name__ == "__main__":
    main()
