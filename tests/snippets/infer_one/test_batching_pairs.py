"""What continuous batching does with position scaling that depends on the length, with beams and with capped scores."""

import pytest
import torch
from _infer_one import tiny_model
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    GenerationConfig,
    Phi3Config,
    Phi3ForCausalLM,
    PreTrainedConfig,
    PreTrainedModel,
    VaultGemmaConfig,
)

from snippets.infer_one.continuous_batching import CACHE, in_a_batch

SHORT, LONG = list(range(1, 5)), list(range(1, 41))


def longrope() -> PreTrainedModel:
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 2, "initializer_range": 0.3}
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
    factors = {"short_factor": [1.0] * 4, "long_factor": [4.0] * 4, "original_max_position_embeddings": 24}
    scaling = {"rope_type": "longrope", "rope_theta": 10000.0} | factors
    lengths = {"max_position_embeddings": 512, "original_max_position_embeddings": 24}
    return Phi3ForCausalLM(Phi3Config(**sizes, **heads, **special, **lengths, rope_parameters=scaling)).eval()


@pytest.mark.claim("perf_infer_gpu_one#continuous-batching", "transformers/modeling_rope_utils.py::dynamic_rope_update")
def test_a_long_request_changes_a_short_one_with_longrope() -> None:
    model = longrope()
    alone = in_a_batch(model, [SHORT])[0]
    plain = model.generate(torch.tensor([SHORT]), max_new_tokens=16, do_sample=False)[0, len(SHORT) :]
    assert alone == plain.tolist()
    assert in_a_batch(model, [SHORT, SHORT[::-1]])[0] == alone
    assert in_a_batch(model, [SHORT, LONG])[0] != alone


@pytest.mark.claim(
    "perf_infer_gpu_one#continuous-batching",
    "transformers/generation/continuous_batching/continuous_api.py::ContinuousMixin.generate_batch",
)
def test_beams_are_ignored() -> None:
    config = GenerationConfig(do_sample=False, max_new_tokens=16, num_beams=3, eos_token_id=-1)
    outputs = tiny_model().generate_batch([SHORT], generation_config=config, continuous_batching_config=CACHE).values()
    assert [each.generated_tokens for each in outputs] == in_a_batch(tiny_model(), [SHORT])


@pytest.mark.claim(
    "perf_infer_gpu_one#continuous-batching",
    "transformers/generation/continuous_batching/continuous_api.py::ContinuousMixin.generate_batch",
)
@pytest.mark.parametrize("minimum", [{"min_new_tokens": 8}, {"min_length": len(SHORT) + 8}])
def test_a_minimum_of_tokens_is_ignored(minimum: dict[str, int]) -> None:
    model = tiny_model()
    end = in_a_batch(model, [SHORT])[0][1]
    config = GenerationConfig(do_sample=False, max_new_tokens=16, eos_token_id=end, **minimum)
    answer = model.generate(torch.tensor([SHORT]), generation_config=config)[0, len(SHORT) :]
    (batched,) = model.generate_batch([SHORT], generation_config=config, continuous_batching_config=CACHE).values()
    assert len(batched.generated_tokens) <= 2 < 8 <= len(answer)


@pytest.mark.claim(
    "perf_infer_gpu_one#continuous-batching",
    "transformers/integrations/eager_paged.py::eager_paged_attention_forward",
)
@pytest.mark.parametrize("cap", [None, 0.5])
@pytest.mark.parametrize("kind", [Gemma2Config, VaultGemmaConfig])
def test_the_cap_of_attention_scores_is_left_out(kind: type[PreTrainedConfig], cap: float | None) -> None:
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "head_dim": 16}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "initializer_range": 0.2, "query_pre_attn_scalar": 16}
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0, "tie_word_embeddings": False}
    config = kind(**sizes, **heads, **special, attn_logit_softcapping=cap)
    model = AutoModelForCausalLM.from_config(config).eval()
    assert model.is_backend_compatible()
    plain = model.generate(torch.tensor([LONG]), max_new_tokens=16, do_sample=False)[0, len(LONG) :]
    assert (in_a_batch(model, [LONG])[0] == plain.tolist()) == (cap is None)
