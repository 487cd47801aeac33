"""Offloading moves activations and no weights, gives the same gradients, and checkpointing leaves less to move."""

import pytest
import torch
from _long_sequences import tiny_model
from _ranks import on_ranks
from torch.distributed.fsdp import fully_shard
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    Gemma3Config,
    Gemma3ForConditionalGeneration,
    MixtralConfig,
    MixtralForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    WhisperConfig,
    WhisperForConditionalGeneration,
)

from snippets.long_sequences import offload as snippet

OFFLOAD = snippet.offload


def gradients(model: torch.nn.Module) -> list[torch.Tensor]:
    return [parameter.grad for parameter in model.parameters()]


@pytest.mark.parametrize("checkpointed", [False, True])
def test_the_gradients_are_the_same(checkpointed: bool) -> None:
    plain, offloaded = tiny_model().train(), tiny_model().train()
    if checkpointed:
        offloaded.activation_checkpointing_enable()
    plain(input_ids=snippet.tokens(), labels=snippet.tokens(), use_cache=False).loss.backward()
    snippet.step(offloaded, snippet.tokens())
    for ours, theirs in zip(gradients(offloaded), gradients(plain), strict=True):
        torch.testing.assert_close(ours, theirs)


BART = {
    "d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32,
    "encoder_attention_heads": 2, "decoder_attention_heads": 2, "dropout": 0.0, "vocab_size": 64,
}  # fmt: skip
SIZES = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
TOKENS = torch.arange(3, 43).reshape(2, 20)


def bart() -> BartForConditionalGeneration:
    torch.manual_seed(0)
    return BartForConditionalGeneration(BartConfig(**BART)).train()


def t5() -> T5ForConditionalGeneration:
    sizes = {"vocab_size": 64, "d_model": 32, "d_kv": 16, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    return T5ForConditionalGeneration(T5Config(**sizes, decoder_start_token_id=0))


def whisper() -> WhisperForConditionalGeneration:
    ids = dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"), 0)
    return WhisperForConditionalGeneration(WhisperConfig(**BART, **ids, num_mel_bins=8, max_source_positions=10))


@pytest.mark.claim("long_sequences#offloading", "transformers/loss/loss_utils.py::ForCausalLMLoss")
@pytest.mark.parametrize(("make", "inputs"), [
    (bart, {"input_ids": TOKENS}), (t5, {"input_ids": TOKENS}), (whisper, {"input_features": torch.ones(2, 8, 20)}),
])
def test_the_loss_function_of_an_encoder_decoder_needs_labels_that_are_not_shifted(make, inputs) -> None:
    model = make().eval()
    output = model(**inputs, labels=TOKENS)
    of = {"labels": TOKENS, "vocab_size": 64}
    torch.testing.assert_close(model.loss_function(output.logits, **of, shift_labels=TOKENS), output.loss)
    assert abs(model.loss_function(output.logits, **of) - output.loss) > 1e-3


@pytest.mark.claim("long_sequences#offloading", "transformers/models/t5/modeling_t5.py::T5Stack.forward")
@pytest.mark.parametrize(("make", "inputs"), [
    (t5, {"input_ids": TOKENS}), (whisper, {"input_features": torch.ones(2, 8, 20)}),
])
def test_t5_and_whisper_need_the_inputs_of_the_decoder_too(make, inputs) -> None:
    with pytest.raises(ValueError, match="input_ids"):
        make()(**inputs)


@pytest.mark.claim(
    "long_sequences#offloading", "transformers/models/mixtral/modeling_mixtral.py::MixtralForCausalLM.forward"
)
@pytest.mark.parametrize("auxiliary", [False, True])
def test_the_auxiliary_loss_of_experts_is_not_in_the_loss_function(auxiliary: bool) -> None:
    config = MixtralConfig(**SIZES, num_key_value_heads=1, num_local_experts=4, output_router_logits=auxiliary)
    model = MixtralForCausalLM(config).eval()
    output = model(input_ids=TOKENS, labels=TOKENS)
    loss = model.loss_function(output.logits, labels=TOKENS, vocab_size=64)
    assert torch.isclose(loss, output.loss) != auxiliary


def test_a_multimodal_model_has_its_vocabulary_in_the_logits() -> None:
    vision = SIZES | {"image_size": 28, "patch_size": 14, "vision_use_head": False}
    text = SIZES | {"num_key_value_heads": 1, "head_dim": 16}
    model = Gemma3ForConditionalGeneration(Gemma3Config(text_config=text, vision_config=vision))
    snippet.step(model, TOKENS)
    offloaded = gradients(model)
    model.zero_grad()
    model(input_ids=TOKENS, labels=TOKENS, token_type_ids=torch.zeros_like(TOKENS), use_cache=False).loss.backward()
    for ours, theirs in zip(offloaded, gradients(model), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_small_tensors_stay() -> None:
    assert 0 < snippet.moved_bytes(tiny_model(), smallest=1 << 18) < snippet.moved_bytes(tiny_model())
    assert snippet.moved_bytes(tiny_model(), smallest=1 << 40) == 0


def shapes_moved(model: torch.nn.Module, autocast: bool = False, smallest: int = 1) -> list[tuple[int, ...]]:
    """The shapes of all tensors that a step moves."""
    shapes: list[tuple[int, ...]] = []

    def watched(model: torch.nn.Module) -> torch.autograd.graph.saved_tensors_hooks:
        hooks = OFFLOAD(model, smallest)
        pack = hooks.pack_hook

        def pack_and_watch(tensor: torch.Tensor) -> object:
            packed = pack(tensor)
            if isinstance(packed, tuple):
                shapes.append(tuple(tensor.shape))
            return packed

        hooks.pack_hook = pack_and_watch
        return hooks

    with pytest.MonkeyPatch.context() as patch, torch.autocast(model.device.type, torch.bfloat16, enabled=autocast):
        patch.setattr(snippet, "offload", watched)
        snippet.step(model.train(), snippet.tokens())
    return shapes


def test_checkpointing_leaves_the_inputs_of_the_layers() -> None:
    model = tiny_model()
    everything = snippet.moved_bytes(model)
    model.activation_checkpointing_enable()
    assert 4 * 512 * 64 * 4 < snippet.moved_bytes(model) < everything / 8


@pytest.mark.parametrize("checkpointed", [False, True])
def test_what_the_loss_saves_is_not_moved(checkpointed: bool) -> None:
    model = tiny_model()
    if checkpointed:
        model.activation_checkpointing_enable()
    shapes = shapes_moved(model)
    assert shapes
    assert not [shape for shape in shapes if model.config.vocab_size in shape]


def test_under_autocast_copies_of_weights_are_moved_and_with_checkpointing_that_of_the_head_alone() -> None:
    model = tiny_model()
    weights = {tuple(p.shape)[::order] for p in model.parameters() if p.dim() == 2 for order in (1, -1)}
    copies = [shape for shape in shapes_moved(model, autocast=True) if shape in weights]
    assert len(copies) == 7 * 4 + 1  # every matrix of 4 layers, and the head
    model.activation_checkpointing_enable()
    copies = [shape for shape in shapes_moved(model, autocast=True) if shape in weights]
    assert {*copies} <= {(256, 64), (64, 256)}
    assert len(copies) == 1


def offload_what_is_sharded() -> str:
    """What the pair of hooks says to a model that `fully_shard` has cut."""
    model = tiny_model()
    fully_shard(model)
    try:
        snippet.offload(model)
    except RuntimeError as error:
        return type(error).__name__
    return "it ran"


@pytest.mark.needs(devices=2)
def test_a_sharded_model_is_an_error() -> None:
    assert on_ranks(offload_what_is_sharded, 2) == ["RuntimeError"] * 2


def test_no_weight_is_moved() -> None:
    model = tiny_model()
    moved: set[int] = set()
    hooks = snippet.offload(model, smallest=1)
    pack = hooks.pack_hook

    def watched(tensor: torch.Tensor) -> object:
        packed = pack(tensor)
        if isinstance(packed, tuple):
            moved.add(tensor.untyped_storage().data_ptr())
        return packed

    hooks.pack_hook = watched
    with hooks:
        model(input_ids=snippet.tokens(), labels=snippet.tokens(), use_cache=False)
    assert moved
    assert not moved & {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    assert snippet.saved_weights(model) > 0


def test_a_model_in_evaluation_mode_is_switched_to_training() -> None:
    model = tiny_model().eval()
    snippet.step(model, snippet.tokens())
    assert model.training
