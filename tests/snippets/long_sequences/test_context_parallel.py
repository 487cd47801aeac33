"""The program trains on CPUs without a split; Trainer's split is run with an attention of the test, not PyTorch's."""

from functools import partial
from types import SimpleNamespace

import pytest
import torch
import torch.distributed as dist
from _long_sequences import LENGTHS, relative_difference, tiny_model
from _ranks import on_ranks
from accelerate.big_modeling import _attach_context_parallel_hooks
from torch.distributed._functional_collectives import all_gather_tensor, all_gather_tensor_autograd
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.experimental import context_parallel
from torch.nn import functional
from transformers import (
    AutoModelForCausalLM,
    MambaConfig,
    MistralConfig,
    Phi3Config,
    PretrainedConfig,
    RwkvConfig,
    Starcoder2Config,
    Trainer,
    xLSTMConfig,
)

from snippets.long_sequences import context_parallel as snippet

pytestmark = pytest.mark.needs(devices=2)


def test_a_sample_is_padded_to_two_equal_parts_for_every_gpu_and_its_padding_is_not_learned() -> None:
    assert {*snippet.train_on_ranks()} == {(n + n % 2, n) for n in LENGTHS}


def attend() -> str:
    """What happens to attention whose inputs are split over two ranks by their length."""
    query, key, value = (torch.randn(1, 4, 16, 8) for _ in range(3))
    mesh = init_device_mesh("cpu", (2,))
    try:
        with context_parallel(mesh, buffers=[query, key, value], buffer_seq_dims=[2, 2, 2]):
            torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    except NotImplementedError as error:
        return str(error)
    return "it ran"


@pytest.mark.skipif(torch.cuda.is_available(), reason="is about machines without a GPU")
def test_the_fused_kernel_for_cpus_is_not_supported() -> None:
    for seen in on_ranks(attend, 2):
        assert "_scaled_dot_product_flash_attention_for_cpu" in seen


def split_step() -> tuple[list[int], float]:
    """The positions of this rank's tokens, and how far the gradients of all ranks are from those of one process."""
    ids = torch.arange(1, 17)[None]
    labels = ids.masked_fill(ids < 6, -100)
    model, one = tiny_model(), tiny_model()
    one(input_ids=ids, labels=labels).loss.backward()
    _attach_context_parallel_hooks(model)
    split = SimpleNamespace(cp_enabled=True, cp_backend="torch")
    accelerator = SimpleNamespace(
        parallelism_config=split, maybe_context_parallel=partial(context_parallel, init_device_mesh("cpu", (2,)))
    )
    context, inputs = Trainer._prepare_context_parallel_inputs(
        SimpleNamespace(accelerator=accelerator), model, {"input_ids": ids.clone(), "labels": labels.clone()}
    )
    original = functional.scaled_dot_product_attention
    with context():
        positions = inputs["position_ids"][0]
        order = all_gather_tensor(positions, 0, dist.group.WORLD)

        def over_all_tokens(query, key, value, attn_mask=None, is_causal=False, **options):
            key, value = all_gather_tensor_autograd(torch.stack([key, value]), 3, dist.group.WORLD)
            return original(query, key, value, attn_mask=positions[:, None] >= order, **options)

        inside, functional.scaled_dot_product_attention = functional.scaled_dot_product_attention, over_all_tokens
        logits = model(input_ids=inputs["input_ids"], position_ids=inputs["position_ids"], use_cache=False).logits
        functional.scaled_dot_product_attention = inside
        total = functional.cross_entropy(logits[0], inputs["shift_labels"][0], reduction="sum")
        (total / (labels[:, 1:] != -100).sum()).backward()
        kept = positions.tolist()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    ours, theirs = (torch.cat([p.grad.flatten() for p in each.parameters()]) for each in (model, one))
    return kept, relative_difference(ours, theirs)


@pytest.mark.skipif(torch.cuda.is_available(), reason="is about machines without a GPU")
def test_trainer_splits_tokens_positions_and_labels_so_that_the_gradients_add_up() -> None:
    (first, one), (second, other) = on_ranks(split_step, 2)
    assert (first, second) == ([*range(4), *range(12, 16)], [*range(4, 12)])
    assert max(one, other) < 1e-5


@pytest.mark.claim(
    "long_sequences#context-parallelism", "transformers/masking_utils.py::find_packed_sequence_indices"
)
@pytest.mark.parametrize(("positions", "masked"), [([0, 1, 2, 3, 12, 13, 14, 15], True), ([*range(8)], False)])
def test_a_ranks_positions_make_transformers_build_a_mask(
    positions: list[int], masked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first and the last quarter of sixteen tokens, as context parallelism gives them to the first of two ranks."""
    original, masks = torch.nn.functional.scaled_dot_product_attention, []

    def attention(*inputs, attn_mask=None, **options):
        masks.append(attn_mask is not None)
        return original(*inputs, attn_mask=attn_mask, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", attention)
    tokens = torch.arange(1, 9)[None]
    model = tiny_model()
    model(input_ids=tokens.to(model.device), position_ids=torch.tensor([positions]).to(model.device), use_cache=False)
    assert set(masks) == {masked}


SIZES = {"vocab_size": 64, "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1, "pad_token_id": 0}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}


@pytest.mark.claim(
    "long_sequences#context-parallelism", "accelerate/big_modeling.py::_attach_context_parallel_hooks"
)
@pytest.mark.parametrize("kind", [MistralConfig, Starcoder2Config, Phi3Config])
def test_a_window_without_layer_types_is_in_the_mask(kind: type[PretrainedConfig]) -> None:
    logits = []
    for window in (4, None):
        torch.manual_seed(0)
        config = kind(**SIZES, **HEADS, sliding_window=window, initializer_range=0.2)
        assert getattr(config, "layer_types", None) is None
        model = AutoModelForCausalLM.from_config(config).eval()
        logits.append(model(input_ids=torch.arange(1, 17)[None], use_cache=False).logits)
    assert (logits[0] - logits[1]).norm() > 0.01 * logits[1].norm()


@pytest.mark.parametrize("kind", [RwkvConfig, xLSTMConfig])
def test_models_of_states_have_neither_layer_types_nor_a_window(kind: type[PretrainedConfig]) -> None:
    config = kind()
    assert not hasattr(config, "layer_types")
    assert not hasattr(config, "sliding_window")


@pytest.mark.claim(
    "long_sequences#context-parallelism", "accelerate/big_modeling.py::_attach_context_parallel_hooks"
)
def test_accelerate_finds_only_the_states_that_layer_types_show() -> None:
    rwkv, mamba = (AutoModelForCausalLM.from_config(kind(vocab_size=64, hidden_size=64, num_hidden_layers=2))
                   for kind in (RwkvConfig, MambaConfig))
    _attach_context_parallel_hooks(rwkv)
    with pytest.raises(ValueError, match="linear_attention"):
        _attach_context_parallel_hooks(mamba)


@pytest.mark.claim("long_sequences#context-parallelism", "transformers/loss/loss_utils.py::ForCausalLMLoss")
def test_the_parts_of_a_masked_prompt_add_up_with_the_number_of_all_labels_alone() -> None:
    """Eight parts of a row of 64 tokens whose first 40 are the prompt, averaged as FSDP averages the gradients."""
    model, ids = tiny_model().eval(), torch.arange(64)[None]
    ids = ids.to(model.device)
    shifted = torch.nn.functional.pad(ids.masked_fill(ids < 40, -100)[:, 1:], (0, 1), value=-100)
    logits, count = model(input_ids=ids, use_cache=False).logits, (shifted != -100).sum()
    ranks = 8

    def loss_of(logits: torch.Tensor, labels: torch.Tensor, **options: torch.Tensor) -> torch.Tensor:
        return model.loss_function(
            logits=logits, labels=labels, shift_labels=labels, vocab_size=logits.shape[-1], **options
        )

    parts = [*zip(logits.chunk(ranks, dim=1), shifted.chunk(ranks, dim=1), strict=True)]
    divided = [loss_of(*part, num_items_in_batch=count / ranks) for part in parts]
    torch.testing.assert_close(torch.stack(divided).mean(), loss_of(logits, shifted))
    assert torch.stack([loss_of(*part) for part in parts]).mean().isnan()
