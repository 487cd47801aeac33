"""Drafts change how many passes the model takes, and none of its tokens."""

import string

import pytest
import torch
from _infer_one import count_passes, device, prompt, tiny_model
from transformers import PreTrainedModel, T5Config, T5ForConditionalGeneration
from transformers.generation.candidate_generator import PromptLookupCandidateGenerator

from snippets.infer_one import assisted_decoding as snippet

TOKENS = 48


def test_an_assistant_saves_passes_and_changes_no_token() -> None:
    model = tiny_model()
    assistant = snippet.distilled(model)
    plain = snippet.assisted(model, prompt(), None)
    passes, drafts = count_passes(model), count_passes(assistant)
    assert snippet.assisted(model, prompt(), assistant) == plain
    assert len(passes) < TOKENS < len(drafts) + len(passes)
    assert max(passes[1:]) > 1  # Several drafts are checked in one pass.


def test_an_assistant_that_knows_nothing_changes_no_token() -> None:
    model = tiny_model()
    plain = snippet.assisted(model, prompt(), None)
    assert snippet.assisted(model, prompt(), tiny_model(seed=1, num_hidden_layers=1)) == plain


@pytest.mark.claim(
    "perf_infer_gpu_one#assisted-decoding",
    "transformers/generation/utils.py::GenerationMixin._validate_generation_mode",
)
def test_an_assistant_of_another_family_needs_both_tokenizers_and_changes_no_token() -> None:
    model, (assistant, tokenizer) = tiny_model(), snippet.another_family()
    with pytest.raises(ValueError, match="Please provide `tokenizer` and `assistant_tokenizer`"):
        snippet.assisted(model, prompt(), assistant)
    drafts = count_passes(assistant)
    own = snippet.letters(snippet.LETTERS)
    tokens = snippet.assisted_by_another_family(model, prompt(), assistant, own, tokenizer)
    assert tokens == snippet.assisted(model, prompt(), None)
    assert len(drafts) >= TOKENS  # It has drafted, whatever became of the drafts.


@pytest.mark.claim(
    "perf_infer_gpu_one#prompt-lookup",
    "transformers/generation/candidate_generator.py::PromptLookupCandidateGenerator.get_candidates",
    "transformers/generation/utils.py::GenerationMixin._get_candidate_generator",
)
def test_prompt_lookup_searches_the_prompt_of_a_decoder_and_not_what_an_encoder_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[int] = []
    look = PromptLookupCandidateGenerator.get_candidates
    monkeypatch.setattr(
        PromptLookupCandidateGenerator, "get_candidates",
        lambda self, tokens, *rest, **more: (searched.append(tokens.shape[1]), look(self, tokens, *rest, **more))[1],
    )
    options = {"max_new_tokens": 4, "do_sample": False, "prompt_lookup_num_tokens": 2}
    sizes = {"vocab_size": 256, "d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 1, "num_heads": 2}
    t5 = T5ForConditionalGeneration(T5Config(**sizes, decoder_start_token_id=0)).to(device()).eval()
    first = []
    for model in (tiny_model(), t5):
        model.generate(**prompt(16), **options)
        first.append(searched[0])
        searched.clear()
    assert first == [16, 1]  # of the answer there is the start token


def test_with_the_same_tokens_a_second_tokenizer_is_an_error() -> None:
    model, own = tiny_model(), snippet.letters(snippet.LETTERS)
    with pytest.raises(ValueError, match="`assistant_tokenizer` is not required"):
        snippet.assisted_by_another_family(model, prompt(), snippet.distilled(model), own, own)


def test_the_tokens_are_taken_for_the_same_where_only_the_size_of_the_vocabulary_is() -> None:
    model, letters = tiny_model(), snippet.letters(snippet.LETTERS)
    larger = tiny_model(seed=1, vocab_size=264, num_hidden_layers=1)  # the same tokens, embeddings rounded up
    with pytest.raises(ValueError, match="Please provide `tokenizer` and `assistant_tokenizer`"):
        snippet.assisted(model, prompt(), larger)
    tokens = snippet.assisted_by_another_family(model, prompt(), larger, letters, letters)
    assert tokens == snippet.assisted(model, prompt(), None)


def test_assisted_decoding_takes_one_sample_and_no_static_cache() -> None:
    model, two = tiny_model(), {name: tensor.repeat(2, 1) for name, tensor in prompt().items()}
    with pytest.raises(ValueError, match="batch_size = 1"):
        snippet.prompt_lookup(model, two)
    with pytest.raises(ValueError, match="not supported with Static cache"):
        model.generate(**prompt(), max_new_tokens=4, prompt_lookup_num_tokens=5, cache_implementation="static")


def test_a_model_with_linear_attention_takes_no_drafts(linear_attention_model: PreTrainedModel) -> None:
    for assistant in ({"assistant_model": tiny_model()}, {"prompt_lookup_num_tokens": 5}):
        with pytest.raises(ValueError, match="assisted generation is not supported with stateful models"):
            linear_attention_model.generate(**prompt(), max_new_tokens=4, **assistant)


def test_without_drafts_every_token_is_a_pass() -> None:
    model = tiny_model()
    passes = count_passes(model)
    snippet.assisted(model, prompt(), None)
    assert len(passes) == TOKENS
    assert set(passes[1:]) == {1}


def test_prompt_lookup_saves_passes_and_changes_no_token() -> None:
    model = tiny_model()
    plain = snippet.assisted(model, prompt(), None)
    passes = count_passes(model)
    assert snippet.prompt_lookup(model, prompt()) == plain
    assert len(passes) < TOKENS
    assert max(passes[1:]) > 1


@pytest.mark.claim(
    "perf_infer_gpu_one#prompt-lookup", "transformers/generation/utils.py::GenerationMixin._assisted_decoding"
)
def test_an_accepted_draft_runs_past_a_stop_string() -> None:
    letters = string.ascii_letters + string.digits
    model, tokenizer = tiny_model(vocab_size=len(letters) + 1), snippet.letters(letters)
    tokens = torch.tensor([[7, 8, 9] * 8], device=device())
    inputs = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
    plain = model.generate(**inputs, max_new_tokens=TOKENS, do_sample=False)[0]
    inputs = {"input_ids": plain[None], "attention_mask": torch.ones_like(plain[None])}  # The answer repeats itself.
    after = plain.shape[0]
    answer = model.generate(**inputs, max_new_tokens=TOKENS, do_sample=False)[0, after:].tolist()
    stop = tokenizer.decode(answer[:1])
    options = {"max_new_tokens": TOKENS, "do_sample": False, "stop_strings": [stop], "tokenizer": tokenizer}
    assert model.generate(**inputs, **options)[0, after:].tolist() == answer[:1]
    drafted = model.generate(**inputs, **options, prompt_lookup_num_tokens=5)[0, after:].tolist()
    assert len(drafted) > 1
    assert drafted == answer[: len(drafted)]
