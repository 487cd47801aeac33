"""The tries of methods for generation: caches, drafts, and several prompts at once."""

import torch
from _building import Subject, random_tokens
from _comparison import (
    NEW_TOKENS,
    NoEffect,
    NotApplicable,
    generate,
    generation_difference,
    logits,
    prompt_of,
    relative_difference,
)


def try_static_cache(subject: Subject) -> float:
    from transformers import EncoderDecoderCache, StaticCache

    inputs = prompt_of(subject)
    plain = generate(subject, inputs)
    found = generate(subject, inputs, cache_implementation="static")
    cache = getattr(found, "past_key_values", None)
    if isinstance(cache, EncoderDecoderCache):
        cache = cache.self_attention_cache
    if not isinstance(cache, StaticCache):
        raise NoEffect(f"the cache is a {type(cache).__name__}")
    return generation_difference(found, plain)


def try_quantized_cache(subject: Subject) -> float:
    """The logits after the first token that reads the quantized keys."""
    inputs = prompt_of(subject)
    plain = generate(subject, inputs, tokens=2).logits[1]
    found = generate(subject, inputs, tokens=2, cache_implementation="quantized", cache_config={"backend": "fp8"})
    layers = getattr(found.past_key_values, "layers", [])
    if not any(hasattr(layer, "_quantized_keys") for layer in layers):
        raise NoEffect("no layer of the cache is quantized")
    return relative_difference(found.logits[1], plain)


def try_prompt_lookup(subject: Subject) -> float:
    inputs = prompt_of(subject)
    plain = generate(subject, inputs)
    return generation_difference(generate(subject, inputs, prompt_lookup_num_tokens=4), plain)


def try_assisted_decoding(subject: Subject) -> float:
    """The draft model is the model itself with some noise on its weights, so that some of its drafts are accepted."""
    import copy

    inputs = prompt_of(subject)
    plain = generate(subject, inputs)
    draft = copy.deepcopy(subject.model)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in draft.parameters():
            if weight.is_floating_point():
                noise = torch.randn(weight.shape, generator=generator)
                weight.add_(noise * 0.05 * weight.std(correction=0))
    return generation_difference(generate(subject, inputs, assistant_model=draft), plain)


def try_padded_batch(subject: Subject) -> float:
    """The next logits of a prompt, padded on the left beside a longer one, and alone."""
    long, short = random_tokens(1, 20, seed=1), random_tokens(1, 7, seed=2)
    plain = logits(subject.model, {"input_ids": short})[0, -1]
    tokens = torch.cat([long, torch.cat([torch.zeros(1, 13, dtype=torch.long), short], dim=1)])
    mask = torch.ones_like(tokens)
    mask[1, :13] = 0
    padded = generate(subject, {"input_ids": tokens, "attention_mask": mask}, tokens=1).logits[0][1]
    return relative_difference(padded, plain)


def try_continuous_batching(subject: Subject) -> float:
    from transformers import ContinuousBatchingConfig, GenerationConfig

    model = subject.model
    if not model.is_backend_compatible():
        raise NotApplicable("its attention does not go through transformers' interface")
    prompts = [random_tokens(1, length, seed=length) for length in (4, 20, 7)]
    plain = [generate(subject, {"input_ids": each, "attention_mask": torch.ones_like(each)}).sequences[0, -NEW_TOKENS:]
             for each in prompts]
    if all(len(set(each.tolist())) < 3 for each in plain):
        raise NotApplicable("the tiny model repeats itself, so its tokens show nothing")
    found = model.generate_batch(
        [each[0].tolist() for each in prompts],
        generation_config=GenerationConfig(do_sample=False, max_new_tokens=NEW_TOKENS, eos_token_id=None),
        continuous_batching_config=ContinuousBatchingConfig(num_blocks=4, max_batch_tokens=32),
        progress_bar=False,
    )
    errors = [each.error for each in found.values() if each.error]
    if errors or len(found) < len(prompts):
        raise RuntimeError(errors[0] if errors else f"{len(found)} of {len(prompts)} requests were answered")
    ours = [each.generated_tokens for each in found.values()]
    return sum((torch.tensor(a) != b).float().mean().item() for a, b in zip(ours, plain, strict=True)) / len(plain)
