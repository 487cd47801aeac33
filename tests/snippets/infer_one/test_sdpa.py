"""SDPA gives the logits of eager attention, and the profile tells which kernel gave them."""

from collections.abc import Callable

import pytest
import torch
from _infer_one import prompt, tiny_model
from torch import nn
from torch.nn.attention import SDPBackend
from transformers import AutoModelForCausalLM, Gemma2Config, PreTrainedModel

from snippets.infer_one import continuous_batching, static_cache
from snippets.infer_one import sdpa as snippet


@pytest.fixture
def model() -> PreTrainedModel:
    return tiny_model().bfloat16()  # as the flash kernel of a GPU wants it


@pytest.mark.claim(
    "perf_infer_gpu_one#attention",
    "transformers/modeling_utils.py::PreTrainedModel.get_correct_attn_implementation",
)
def test_sdpa_is_the_default_and_gives_the_logits_of_eager_attention() -> None:
    assert tiny_model().config._attn_implementation == "sdpa"
    eager, sdpa = (snippet.choose(tiny_model(), name) for name in ("eager", "sdpa"))
    for inputs in (prompt(), snippet.padded()):
        read = inputs["attention_mask"].bool()  # What stands where the padding is, nobody reads.
        ours, theirs = (snippet.logits(model, inputs)[read] for model in (sdpa, eager))
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.claim(
    "perf_infer_gpu_one#attention",
    "transformers/modeling_utils.py::PreTrainedModel.get_correct_attn_implementation",
)
def test_a_model_without_sdpa_runs_eager_and_refuses_it() -> None:
    config = Gemma2Config(vocab_size=32, hidden_size=16, intermediate_size=16, num_hidden_layers=2,
                          num_attention_heads=2, num_key_value_heads=1, head_dim=8)
    model = AutoModelForCausalLM.from_config(config)
    assert model.config._attn_implementation == "eager"
    with pytest.raises(ValueError, match="scaled_dot_product_attention"):
        model.set_attn_implementation("sdpa")


def test_eager_attention_runs_none_of_the_kernels(model: PreTrainedModel) -> None:
    assert snippet.kernels(model, prompt())
    assert snippet.kernels(snippet.choose(model, "eager"), prompt()) == set()


def test_a_row_alone_is_answered_by_a_fused_kernel_the_flash_kernel_on_a_cpu(model: PreTrainedModel) -> None:
    fused = ("flash_attention",) if model.device.type == "cpu" else ("flash", "efficient", "cudnn")
    kernels = snippet.kernels(model, prompt())
    assert kernels
    assert all(name.startswith(fused) for name in kernels), kernels


def test_padding_takes_the_flash_kernel_of_a_gpu_away_but_not_that_of_a_cpu(model: PreTrainedModel) -> None:
    on_cpu = model.device.type == "cpu"
    assert snippet.refused(model, SDPBackend.FLASH_ATTENTION, snippet.padded()) != on_cpu
    assert all(name.startswith("flash_attention") for name in snippet.kernels(model, snippet.padded())) == on_cpu


@pytest.mark.skipif(torch.accelerator.is_available(), reason="a GPU may switch to the package FlashAttention")
@pytest.mark.claim(
    "perf_infer_gpu_one#attention",
    "transformers/generation/continuous_batching/utils.py::attn_mask_is_needed",
)
def test_a_static_cache_and_continuous_batching_bring_a_mask_and_a_growing_cache_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masks: list[bool] = []
    attention = nn.functional.scaled_dot_product_attention

    def watched(query: torch.Tensor, *rest: object, **options: object) -> torch.Tensor:
        masks.append(options["attn_mask"] is not None)
        return attention(query, *rest, **options)

    def calls(generate: Callable[[], object]) -> list[bool]:
        masks.clear()
        generate()
        return list(masks)

    monkeypatch.setattr(nn.functional, "scaled_dot_product_attention", watched)
    model = tiny_model()
    first = model.config.num_hidden_layers  # the question's calls
    assert not any(calls(lambda: model.generate(**prompt(), max_new_tokens=4, do_sample=False)))
    assert all(calls(lambda: static_cache.generate(model, prompt()))[first:])
    assert all(calls(lambda: continuous_batching.in_a_batch(model, [[1, 2, 3], [4, 5, 6, 7]])))


def test_where_one_kernel_is_allowed_that_one_runs(model: PreTrainedModel) -> None:
    (flash,) = snippet.only(model, SDPBackend.FLASH_ATTENTION, prompt())
    assert flash.startswith("flash_attention")
    assert snippet.only(model, SDPBackend.MATH, prompt()) == {"attention_math"}
    assert not snippet.refused(model, SDPBackend.FLASH_ATTENTION, prompt())


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
def test_a_kernel_that_this_machine_lacks_is_refused(model: PreTrainedModel) -> None:
    assert snippet.refused(model, SDPBackend.EFFICIENT_ATTENTION, prompt())


def test_every_kernel_chooses_the_same_tokens() -> None:
    def tokens(model: PreTrainedModel) -> list[list[int]]:
        return model.generate(**snippet.padded(), max_new_tokens=8, do_sample=False).tolist()

    assert tokens(tiny_model()) == tokens(snippet.choose(tiny_model(), "eager"))
