"""Every implementation gives the same logits, and the context manager really chooses the kernel."""

import pytest
import torch
from torch.nn.attention import SDPBackend
from transformers import (
    AutoModelForCausalLM,
    Gemma3Config,
    Gemma3ForConditionalGeneration,
    MistralConfig,
    PreTrainedModel,
)
from transformers.integrations.sdpa_attention import use_gqa_in_sdpa
from transformers.masking_utils import create_causal_mask, create_sliding_window_causal_mask

from snippets.train_one import attention as snippet

from _tiny import OperatorNames, device, gradients, relative_difference, tiny_batch, tiny_checkpoint, tiny_model


def chosen(implementation: str = "sdpa") -> PreTrainedModel:
    config = tiny_model().config
    torch.manual_seed(0)  # The weights of `tiny_model`.
    return AutoModelForCausalLM.from_config(config, attn_implementation=implementation).to(device())


def operators_of(model: PreTrainedModel) -> set[str]:
    # In bf16, which the fused kernels of a GPU take: in fp32 and with grouped heads none of them does.
    autocast = torch.autocast(model.device.type, dtype=torch.bfloat16)
    with OperatorNames() as operators, torch.no_grad(), autocast:
        model(tiny_batch()["input_ids"])
    return operators.names


def test_sdpa_is_the_default_and_gives_the_logits_of_eager_attention() -> None:
    batch = tiny_batch()
    assert tiny_model().config._attn_implementation == "sdpa"
    eager, sdpa = chosen("eager"), chosen()
    torch.testing.assert_close(sdpa(**batch).logits, eager(**batch).logits, rtol=1e-4, atol=1e-5)


def test_the_model_is_loaded_in_fp32_with_the_implementation_that_is_named() -> None:
    with tiny_checkpoint() as checkpoint:
        model = snippet.load(checkpoint)
    assert model.config._attn_implementation == "sdpa"
    assert model.dtype == torch.float32


def test_eager_attention_runs_a_softmax_and_sdpa_one_kernel() -> None:
    assert "_softmax" in operators_of(chosen("eager"))
    sdpa = operators_of(chosen())
    assert "_softmax" not in sdpa
    assert any(name.startswith("_scaled_dot_product_") for name in sdpa)


def test_the_kernel_is_the_one_that_was_chosen() -> None:
    model = tiny_model()
    flash = snippet.attention_operators(model, SDPBackend.FLASH_ATTENTION)
    assert len(flash) == 1
    assert flash[0].startswith("_scaled_dot_product_flash_attention")
    assert "bmm" in snippet.attention_operators(model, SDPBackend.MATH)


def test_flash_attention_gives_the_loss_and_the_gradients_of_eager_attention() -> None:
    batch = tiny_batch()
    flash, eager = tiny_model(), chosen("eager")
    flash_loss, loss = snippet.flash_attention(flash, batch), eager(**batch).loss
    flash_loss.backward()
    loss.backward()
    assert flash_loss.item() == pytest.approx(loss.item(), rel=0.01)
    assert relative_difference(gradients(flash), gradients(eager)) < 0.03  # bf16 has 8 significant bits.


def test_the_model_that_was_loaded_on_the_cpu_goes_where_the_batch_is(monkeypatch: pytest.MonkeyPatch) -> None:
    model, moved = tiny_model(), []
    monkeypatch.setattr(model, "to", moved.append)
    snippet.flash_attention(model, tiny_batch())
    assert moved == [device()]


def test_while_flash_attention_runs_no_other_kernel_is_allowed() -> None:
    model = tiny_model()
    fallback_allowed = []
    model.register_forward_hook(lambda *_: fallback_allowed.append(torch.backends.cuda.math_sdp_enabled()))
    snippet.flash_attention(model, tiny_batch())
    model(**tiny_batch())
    assert fallback_allowed == [False, True]


def test_to_bettertransformer_is_gone() -> None:
    assert not hasattr(tiny_model(), "to_bettertransformer")
    assert not hasattr(PreTrainedModel, "to_bettertransformer")


def test_an_unknown_implementation_is_refused() -> None:
    with pytest.raises(ValueError, match="bettertransformer"):
        chosen("bettertransformer")


@pytest.mark.claim("train_speed#attention", "transformers/masking_utils.py::_ignore_causal_mask_sdpa")
def test_a_mask_that_hides_nothing_is_used_under_compile_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = {"input_ids": tiny_batch()["input_ids"]}
    masked = batch | {"attention_mask": torch.ones_like(batch["input_ids"])}
    attend, eager, compiled = torch.nn.functional.scaled_dot_product_attention, [], []

    def watched(*args, **kwargs):
        eager.append(kwargs["attn_mask"] is not None)
        return attend(*args, **kwargs)

    def backend(graph, inputs):
        calls = [node for node in graph.graph.nodes if "scaled_dot_product_attention" in str(node.target)]
        compiled.extend(node.kwargs["attn_mask"] is not None for node in calls)
        return graph.forward

    for each in (batch, masked):
        model = tiny_model(num_hidden_layers=1).eval()
        with torch.no_grad(), monkeypatch.context() as patch:
            torch.compile(model, backend=backend)(**each)
            patch.setattr(torch.nn.functional, "scaled_dot_product_attention", watched)
            model(**each)
    assert eager == [False, False]
    assert compiled == [False, True]


@pytest.mark.claim(
    "train_speed#attention", "transformers/models/gemma3/modeling_gemma3.py::Gemma3ForConditionalGeneration.forward"
)
@pytest.mark.parametrize("given", [False, True])
def test_token_type_ids_of_a_text_make_a_mask_in_gemma_3(given: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    heads = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = heads | {"vocab_size": 256, "num_key_value_heads": 1, "head_dim": 16}
    vision = heads | {"image_size": 28, "patch_size": 14}
    model = Gemma3ForConditionalGeneration(Gemma3Config(
        text_config=text, vision_config=vision, mm_tokens_per_image=4, image_token_id=255, boi_token_id=254,
        eoi_token_id=253,
    ))  # fmt: skip
    attend, masks = torch.nn.functional.scaled_dot_product_attention, []

    def watched(*args, **kwargs):
        masks.append(kwargs["attn_mask"] is not None)
        return attend(*args, **kwargs)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", watched)
    tokens = torch.arange(16)[None]
    model(tokens, token_type_ids=torch.zeros_like(tokens) if given else None, use_cache=False)
    assert masks == [given]


@pytest.mark.claim("train_speed#attention", "transformers/masking_utils.py::find_packed_sequence_indices",
                   "transformers/trainer.py::Trainer.__init__")
def test_without_a_cache_the_compiled_model_makes_a_mask_and_compiled_layers_get_none() -> None:
    tokens, masks = tiny_batch()["input_ids"], []

    def backend(graph, inputs):
        calls = [node for node in graph.graph.nodes if "scaled_dot_product_attention" in str(node.target)]
        masks.extend(node.kwargs["attn_mask"] is not None for node in calls)
        return graph.forward

    with torch.no_grad():
        torch.compile(tiny_model(num_hidden_layers=1), backend=backend)(tokens, use_cache=False)
        model = tiny_model(num_hidden_layers=1)
        for layer in model.model.layers:
            layer.compile(backend=backend)
        model(tokens, use_cache=False)
        model(tokens, attention_mask=torch.ones_like(tokens), use_cache=False)
    assert masks == [True, False]  # The layers compile once: a mask of ones is left out before them.


@pytest.mark.parametrize(("window", "masked"), [(None, False), (65, False), (64, True)])
def test_a_row_as_long_as_the_sliding_window_gets_a_mask(window: int | None, masked: bool) -> None:
    tokens, config = torch.ones(1, 64, dtype=torch.long), MistralConfig(sliding_window=window)
    config._attn_implementation = "sdpa"
    make = create_sliding_window_causal_mask if window else create_causal_mask
    embeds = torch.zeros(*tokens.shape, 8)
    mask = make(config=config, inputs_embeds=embeds, attention_mask=tokens, past_key_values=None, position_ids=None)
    assert (mask is not None) == masked


@pytest.mark.claim("train_speed#attention", "transformers/integrations/sdpa_attention.py::use_gqa_in_sdpa")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_shared_keys_are_passed_on_whatever_their_type_and_two_kernels_take_them(dtype: torch.dtype) -> None:
    key = torch.zeros(1, 2, 8, 16, dtype=dtype)
    assert use_gqa_in_sdpa(None, key, key)
    assert not use_gqa_in_sdpa(torch.ones(1, 1, 8, 8, dtype=torch.bool), key, key)
    said = " ".join((torch.nn.functional.scaled_dot_product_attention.__doc__ or "").split())
    assert "works only for Flash_attention and math kernel on CUDA tensor" in said
