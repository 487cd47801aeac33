"""Requests that share passes get the tokens that they get alone, in as many passes as the longest needs."""

from dataclasses import replace

import pytest
import torch
from _infer_one import count_passes, device, tiny_model
from transformers import AutoModelForCausalLM, GenerationConfig, GPTJConfig, PreTrainedModel
from transformers.generation.continuous_batching.cache import PagedAttentionMemoryHandler
from transformers.generation.continuous_batching.cache_allocators.full_attention import FullAttentionCacheAllocator

from snippets.infer_one import continuous_batching as snippet


@pytest.fixture(scope="module")
def model() -> PreTrainedModel:
    return tiny_model()


@pytest.fixture(scope="module")
def alone(model: PreTrainedModel) -> list[list[int]]:
    return snippet.one_at_a_time(model)


def test_the_tokens_are_those_of_one_at_a_time(model: PreTrainedModel, alone: list[list[int]]) -> None:
    assert snippet.continuously(model, snippet.requests()) == alone
    assert [len(tokens) for tokens in alone] == list(snippet.LENGTHS)


def test_the_longest_request_decides_how_many_passes_there_are(model: PreTrainedModel) -> None:
    passes = count_passes(model)
    snippet.continuously(model, snippet.requests())
    assert max(snippet.LENGTHS) <= len(passes) < sum(snippet.LENGTHS) / 2
    assert max(passes) <= 64  # The prompts, 78 tokens, do not fit into the first pass.


def test_a_finished_request_leaves_its_place(model: PreTrainedModel) -> None:
    passes = count_passes(model)
    snippet.continuously(model, snippet.requests())
    assert passes[-1] == 1
    assert sum(passes) == sum(map(len, snippet.prompts())) + sum(snippet.LENGTHS) - len(snippet.LENGTHS)


def test_a_list_of_prompts_gives_the_same_tokens(model: PreTrainedModel, alone: list[list[int]]) -> None:
    for tokens, expected in zip(snippet.in_a_batch(model, snippet.prompts()), alone, strict=True):
        assert len(tokens) == 16
        assert tokens[: len(expected)] == expected[:16]


@pytest.mark.claim(
    "perf_infer_gpu_one#continuous-batching",
    "transformers/generation/continuous_batching/continuous_api.py::ContinuousMixin.init_continuous_batching",
)
def test_the_end_token_ends_an_answer_where_the_configuration_names_it(alone: list[list[int]]) -> None:
    model = tiny_model()
    model.generation_config.eos_token_id = end = alone[1][5]
    expected = [tokens[: tokens.index(end) + 1] if end in tokens else tokens for tokens in alone]
    assert len(expected[1]) <= 6
    assert snippet.continuously(model, snippet.requests()) == expected
    first = [tokens[:16] for tokens in snippet.in_a_batch(model, snippet.prompts())]
    assert first[1] == expected[1]
    own = GenerationConfig(do_sample=False)
    model.init_continuous_batching(own, continuous_batching_config=snippet.CACHE)
    assert own.eos_token_id == -1


@pytest.mark.claim(
    "perf_infer_gpu_one#continuous-batching",
    "transformers/generation/continuous_batching/continuous_api.py::ContinuousMixin.generate_batch",
)
def test_a_request_that_is_longer_than_the_cache_fails_all_and_that_is_raised(model: PreTrainedModel) -> None:
    asked = [[1, 2, 3], [7] * 2100, [4, 5, 6]]
    outputs = model.generate_batch(
        asked, generation_config=snippet.greedy(model), continuous_batching_config=snippet.CACHE
    )
    assert all(output.error for output in outputs.values())  # It returns as if nothing had happened.
    with pytest.raises(RuntimeError, match=r"not all requests were answered: .*no requests can be offloaded"):
        snippet.in_a_batch(model, asked)


def test_a_request_without_a_result_is_raised(model: PreTrainedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    generate = model.generate_batch
    monkeypatch.setattr(model, "generate_batch", lambda requests, **options: generate(requests[1:], **options))
    with pytest.raises(RuntimeError, match="not all requests were answered"):
        snippet.in_a_batch(model, snippet.prompts())


def test_a_failure_in_the_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    model, passes = tiny_model(), []
    forward = model.forward

    def failing(*args: object, **options: object) -> object:
        passes.append(1)
        if len(passes) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return forward(*args, **options)

    monkeypatch.setattr(model, "forward", failing)
    with pytest.raises(RuntimeError, match="out of memory"):
        snippet.continuously(model, snippet.requests())


@pytest.mark.claim(
    "perf_infer_gpu_one#continuous-batching",
    "transformers/generation/continuous_batching/cache.py::PagedAttentionMemoryHandler.attention_mask_bytes",
    "transformers/generation/continuous_batching/cache.py::PagedAttentionMemoryHandler.bytes_per_cache_token",
)
def test_a_mask_and_the_repeated_keys_are_counted_beside_the_cache(
    model: PreTrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers: list[PagedAttentionMemoryHandler] = []
    infer = PagedAttentionMemoryHandler.infer_max_batch_tokens_and_num_sectors
    monkeypatch.setattr(
        PagedAttentionMemoryHandler,
        "infer_max_batch_tokens_and_num_sectors",
        lambda handler: (handlers.append(handler), infer(handler))[1],
    )
    snippet.in_a_batch(model, [[1, 2, 3]])
    (handler,) = handlers
    cached = 3 * handler.tokens_per_sector
    assert handler.attention_mask_bytes(64, 3) == 4 * 64 * (cached + 64) * handler.io_multiplier
    # All query heads twice, and the values before they are repeated.
    heads = 2 * model.config.num_attention_heads + model.config.num_key_value_heads
    assert handler.bytes_per_cache_token == 4 * heads * 8 + 8 * handler.io_multiplier


def test_tensors_that_do_not_fit_beside_the_cache_are_an_error(model: PreTrainedModel) -> None:
    options = {"generation_config": snippet.greedy(model)}
    config = replace(snippet.CACHE, max_batch_tokens=1_000_000)  # a mask of terabytes
    with pytest.raises(MemoryError):
        model.generate_batch([[1, 2, 3]], **options, continuous_batching_config=config)


@pytest.mark.claim(
    "perf_infer_gpu_one#continuous-batching",
    "transformers/generation/continuous_batching/initialization.py::ensure_decode_fast_path_is_available",
)
def test_the_pages_are_those_that_flash_attention_2_takes(
    model: PreTrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    allocators: list[FullAttentionCacheAllocator] = []
    register = FullAttentionCacheAllocator.register_cache_tensor

    def registered(allocator: FullAttentionCacheAllocator, *args: object, **options: object) -> object:
        allocators.append(allocator)
        return register(allocator, *args, **options)

    monkeypatch.setattr(FullAttentionCacheAllocator, "register_cache_tensor", registered)
    snippet.in_a_batch(model, [[1, 2, 3]])
    (allocator,) = allocators
    for pages in allocator.get_cache_for_block_table(layer_idx=0):
        assert pages.shape[1] % 256 == 0


@pytest.mark.claim(
    "perf_infer_gpu_one#continuous-batching", "transformers/generation/continuous_batching/cache.py#L50-L66"
)
def test_a_model_with_linear_attention_is_an_error(linear_attention_model: PreTrainedModel) -> None:
    options = GenerationConfig(do_sample=False, max_new_tokens=4)
    with pytest.raises(ValueError, match="Invalid layer type: linear_attention"):
        linear_attention_model.generate_batch(
            snippet.prompts(), generation_config=options, continuous_batching_config=snippet.CACHE
        )


@pytest.mark.claim(
    "perf_infer_gpu_one#continuous-batching", "transformers/models/gptj/modeling_gptj.py::GPTJAttention.forward"
)
def test_attention_that_never_reads_the_paged_cache_gives_other_tokens() -> None:
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "n_embd": 64, "n_layer": 2, "n_head": 4, "rotary_dim": 16}
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
    model = AutoModelForCausalLM.from_config(GPTJConfig(**sizes, **special)).to(device()).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(4)  # so that the next token depends on what attention reads
    outputs = model.generate_batch(
        snippet.prompts(), generation_config=GenerationConfig(do_sample=False, max_new_tokens=4),
        continuous_batching_config=snippet.CACHE,
    ).values()
    assert not any(output.error for output in outputs)
    assert [output.generated_tokens for output in outputs] != [each[:4] for each in snippet.one_at_a_time(model)]
    assert not model.is_backend_compatible()
