"""The program reads prompts in pieces into an FP8 cache, and its answers are those of plain generation, nearly."""

from pathlib import Path

import pytest
import torch
from _peft import device, tiny_model
from transformers import (
    Gemma3Config,
    Gemma3ForConditionalGeneration,
    JambaConfig,
    JambaForCausalLM,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
)

from snippets.memory import serve_8b_generate as snippet


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("checkpoint")
    tiny_model().save_pretrained(folder)
    snippet.tiny_tokenizer().save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def model(checkpoint: str) -> PreTrainedModel:
    return snippet.load(checkpoint, device().type)


def test_linear_layers_are_in_4_bits_and_the_rest_in_bf16(model: PreTrainedModel) -> None:
    packed = {name for name, parameter in model.named_parameters() if parameter.dtype == torch.uint8}
    assert packed == {name for name, _ in model.named_parameters() if "_proj" in name}
    assert model.lm_head.weight.dtype == model.model.embed_tokens.weight.dtype == torch.bfloat16


def test_prompts_are_read_in_pieces_into_a_cache_of_a_byte(model: PreTrainedModel) -> None:
    calls: list[tuple[int, int]] = []

    def seen(module: torch.nn.Module, args: tuple[object, ...], options: dict) -> None:
        calls.append((options["input_ids"].shape[1], options["logits_to_keep"]))

    with model.register_forward_pre_hook(seen, with_kwargs=True):
        output = snippet.answer(model, snippet.prompts(48, 31, 20), new_tokens=4, chunk=16)
    assert calls == [(16, 1)] * 3 + [(1, 1)] * 3
    assert {layer._quantized_keys[0].dtype for layer in output.past_key_values.layers} == {torch.float8_e4m3fn}
    assert output.sequences.shape == (3, 48 + 4)


def test_each_question_is_answered_without_being_repeated(model: PreTrainedModel, checkpoint: str) -> None:
    prompts: list[torch.Tensor] = []
    with model.register_forward_pre_hook(
        lambda module, args, options: prompts.append(options["input_ids"]), with_kwargs=True
    ):
        together = snippet.ask(model, checkpoint, snippet.QUESTIONS, 4)
    assert (prompts[0][:, -1] == 255).all()  # The template begins an answer, and padding is on the left.
    assert len(together) == len(snippet.QUESTIONS)
    for question, answer in zip(snippet.QUESTIONS, together, strict=True):
        assert 0 < len(answer) <= 4
        assert not answer.startswith(question[:4])


def test_the_logits_are_near_those_of_a_bf16_cache(model: PreTrainedModel) -> None:
    inputs = snippet.prompts(48, 31, 20)
    ours = snippet.answer(model, inputs | {"output_logits": True}, new_tokens=1, chunk=16).logits[0].float()
    theirs = first_logits(model, inputs).float()
    assert 0 < (ours - theirs).norm() / theirs.norm() < 0.1


def first_logits(model: PreTrainedModel, inputs: dict[str, torch.Tensor], chunk: int | None = None) -> torch.Tensor:
    """The logits of the first new token, the prompt read in chunks of so many tokens or at once: (rows, vocabulary)."""
    options = {"max_new_tokens": 1, "output_logits": True, "return_dict_in_generate": True}
    return model.generate(**inputs, **options, prefill_chunk_size=chunk).logits[0]


@pytest.mark.claim("serve_8b#prefill", "transformers/generation/utils.py::GenerationMixin._prefill")
def test_chunks_make_the_padded_samples_of_an_encoder_decoder_wrong() -> None:
    """Their mask is cut to the start token, so the decoder attends to the padding as well."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 3, "num_heads": 4}
    t5 = T5ForConditionalGeneration(T5Config(**sizes, decoder_start_token_id=0, tie_word_embeddings=False)).eval()
    tokens = torch.randint(2, 256, (2, 18))
    tokens[1, 11:] = 0
    inputs = {"input_ids": tokens, "attention_mask": tokens.ne(0).long()}
    whole, chunked = (first_logits(t5, inputs, chunk) for chunk in (None, 6))
    difference = (chunked - whole).norm(dim=-1) / whole.norm(dim=-1)
    assert difference[0] < 1e-5 < 1e-2 < difference[1]


@pytest.mark.claim("serve_8b#prefill", "transformers/models/jamba/modeling_jamba.py::JambaMambaMixer.forward")
def test_the_state_of_jamba_starts_anew_with_every_chunk() -> None:
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    layers = {"attn_layer_period": 2, "attn_layer_offset": 1, "num_experts": 1, "use_mamba_kernels": False}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "initializer_range": 0.2}
    model = JambaForCausalLM(JambaConfig(**sizes, **layers, **heads, pad_token_id=0, eos_token_id=None)).eval()
    inputs = snippet.prompts(18)
    whole, one, three = (first_logits(model, inputs, chunk) for chunk in (None, 18, 6))
    torch.testing.assert_close(one, whole)
    assert (three - whole).norm() / whole.norm() > 1e-2


@pytest.mark.claim("serve_8b#prefill", "transformers/models/gemma3/modeling_gemma3.py::create_masks_for_vision_model")
def test_the_end_of_a_chunk_cuts_the_attention_within_an_image() -> None:
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    heads = {"num_key_value_heads": 2, "head_dim": 8, "vocab_size": 128, "pad_token_id": 0, "initializer_range": 0.3}
    vision = {**sizes, "image_size": 32, "patch_size": 8}
    parts = {"text_config": {**sizes, **heads}, "vision_config": vision}
    config = Gemma3Config(**parts, mm_tokens_per_image=4, image_token_id=100)
    model = Gemma3ForConditionalGeneration(config).eval()
    torch.nn.init.normal_(model.model.multi_modal_projector.mm_input_projection_weight)  # zeros in a new model
    tokens = torch.arange(3, 27)[None]
    tokens[0, 8:12] = 100
    inputs = {"input_ids": tokens, "token_type_ids": (tokens == 100).long(), "pixel_values": torch.randn(1, 3, 32, 32)}
    whole, within, after = (first_logits(model, inputs, chunk) for chunk in (None, 10, 13))
    torch.testing.assert_close(after, whole)
    assert (within - whole).norm() / whole.norm() > 1e-3
