"""Continuous batching: requests of different lengths share every pass, and a finished one leaves its place."""

import torch
from _infer_one import count_passes, device, tiny_model

# isort: split
# --8<-- [start:memory]
from transformers import (
    ContinuousBatchingConfig,
    GenerationConfig,
    PreTrainedModel,
)

# Without it, most of the memory that is free becomes the cache.
CACHE = ContinuousBatchingConfig(
    num_blocks=8,  # of 256 tokens each, shared by all requests
)
# --8<-- [end:memory]
CACHE.max_batch_tokens = 64  # Enough for a tiny model; the default of 8,192 makes masks of that size.
# Tokens to generate for each request.
LENGTHS = (4, 40, 8, 16, 24, 32)


def prompts() -> list[list[int]]:
    """Prompts of random tokens and of different lengths."""
    generator = torch.Generator().manual_seed(0)
    return [torch.randint(1, 256, (n,), generator=generator).tolist() for n in (4, 9, 16, 30, 7, 12)]


def one_at_a_time(model: PreTrainedModel) -> list[list[int]]:
    outputs = []
    for prompt, length in zip(prompts(), LENGTHS, strict=True):
        tokens = torch.tensor([prompt], device=device())
        output = model.generate(tokens, max_new_tokens=length, do_sample=False)
        outputs.append(output[0, len(prompt) :].tolist())
    return outputs


# --8<-- [start:batch]
def greedy(model: PreTrainedModel) -> GenerationConfig:
    # Without an end token, no answer ends before its limit.
    end = model.generation_config.eos_token_id
    return GenerationConfig(
        do_sample=False, max_new_tokens=16, eos_token_id=end
    )


def in_a_batch(
    model: PreTrainedModel, requests: list[list[int]]
) -> list[list[int]]:
    outputs = model.generate_batch(
        requests,  # lists of token ids, without padding
        generation_config=greedy(model),
        continuous_batching_config=CACHE,
    ).values()
    # What fails is logged, not raised.
    errors = [output.error for output in outputs if output.error]
    if errors or len(outputs) < len(requests):
        raise RuntimeError(f"not all requests were answered: {errors}")
    return [output.generated_tokens for output in outputs]


# --8<-- [end:batch]
# --8<-- [start:manager]
# Each request with the number of tokens that it may generate.
def continuously(
    model: PreTrainedModel, requests: list[tuple[list[int], int]]
) -> list[list[int]]:
    finished = {}
    with model.continuous_batching_context_manager(
        greedy(model), continuous_batching_config=CACHE
    ) as manager:
        for number, (prompt, length) in enumerate(requests):
            manager.add_request(
                prompt, request_id=str(number), max_new_tokens=length
            )
        while len(finished) < len(requests):
            result = manager.get_result(timeout=1)
            if result is None and not manager.is_running():
                raise RuntimeError("the generation thread has ended")
            if result is not None and result.is_finished():
                # A failed request also counts as finished.
                if result.error is not None:
                    raise RuntimeError(result.error)
                finished[result.request_id] = result.generated_tokens
    return [finished[str(number)] for number in range(len(requests))]


# --8<-- [end:manager]
def requests() -> list[tuple[list[int], int]]:
    """Every prompt with the length of its answer."""
    return list(zip(prompts(), LENGTHS, strict=True))


def main() -> None:
    model = tiny_model()
    passes = count_passes(model)
    alone = one_at_a_time(model)
    print(f"One at a time: {len(passes)} passes for {sum(LENGTHS)} tokens")
    passes.clear()
    together = continuously(model, requests())
    print(f"Continuously:  {len(passes)} passes, the same tokens: {together == alone}")
    print(f"Tokens that the passes took: {sum(passes)}; a padded batch takes ", end="")
    longest = max(map(len, prompts())) + max(LENGTHS) - 1  # The last token is not read again.
    print(f"{len(LENGTHS) * longest}")


if __name__ == "__main__":
    main()
