"""Every rank has half of each row, attends with half of the heads over all of it, and gets one process's results."""

import pytest
import torch
from _train_many import on_ranks, tiny_model, tokens
from transformers import (
    AttentionInterface,
    AutoModelForCausalLM,
    BertConfig,
    BertModel,
    BloomConfig,
    CodeGenConfig,
    Gemma3TextConfig,
    Lfm2Config,
    Llama4TextConfig,
    LlamaConfig,
    MambaConfig,
    Mistral3Config,
    MixtralConfig,
    MixtralForCausalLM,
    PretrainedConfig,
    Qwen2Config,
    Qwen3_5Config,
    Qwen3Config,
    Qwen3NextConfig,
    RwkvConfig,
    xLSTMConfig,
)

from snippets.train_many import sequence_parallel as snippet
from snippets.train_many.sequence_parallel import Step

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the values agree to six digits or so. On a GPU, bf16 has three digits.
SAME = 2e-2 if torch.cuda.is_available() else 1e-5
ROWS, HEADS, LAYERS, NUMBERS = 8, 8, 4, 8
GROUPED, ONE_KV_HEAD, PADDED_ON_THE_LEFT = range(3)
# Tokens of a row, padded to a multiple of the ranks.
LENGTHS = {GROUPED: 18, ONE_KV_HEAD: 18, PADDED_ON_THE_LEFT: 16}


@pytest.fixture(scope="module")
def ranks() -> list[list[Step]]:
    return on_ranks(snippet.steps, snippet.PROCESSES)


@pytest.mark.parametrize("case", LENGTHS)
def test_the_gradients_are_those_of_one_process(ranks: list[list[Step]], case: int) -> None:
    for steps in ranks:
        assert steps[case].gradients_difference < SAME


@pytest.mark.parametrize("case", LENGTHS)
def test_a_rank_has_half_of_each_row_and_attends_with_half_of_the_heads(ranks: list[list[Step]], case: int) -> None:
    for steps in ranks:
        assert steps[case].tokens_a_row == LENGTHS[case] // 2
        # As many of keys and values: no fused kernel takes fewer together with a mask, or in fp32.
        whole = (ROWS, HEADS // 2, LENGTHS[case], NUMBERS)
        assert steps[case].attended == {(whole, whole)}


def heads_sent() -> list[list[int]]:
    """The heads that a rank sends of queries, of keys and of values, in each layer, for four and for one of keys."""
    swap, seen = snippet.swap, []

    def watched(states: torch.Tensor, split: int, join: int) -> torch.Tensor:
        if split == snippet.HEADS:
            seen[-1].append(states.shape[split])
        return swap(states, split, join)

    snippet.swap = watched
    for heads in (4, 1):
        seen.append([])
        snippet.backward(tiny_model(attn_implementation="ulysses", num_key_value_heads=heads), tokens(), tokens())
    snippet.swap = swap
    return seen


def test_only_heads_that_the_ranks_cannot_share_are_repeated_before_they_are_sent() -> None:
    assert on_ranks(heads_sent, 2) == [[[HEADS, 4, 4] * LAYERS, [HEADS, HEADS, HEADS] * LAYERS]] * 2


def test_queries_keys_values_and_outputs_are_exchanged_in_each_pass(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert {step.exchanges for step in steps} == {2 * 4 * LAYERS}


@pytest.mark.parametrize("name", ["sliding_window", "softcap", "s_aux"])
@pytest.mark.claim("parallelism#sequence-parallelism", "transformers/integrations/sdpa_attention.py")
def test_what_it_does_not_implement_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match=f"does not implement {name}"):
        snippet.ulysses(None, None, None, None, None, scaling=1.0, **{name: 1.0})


def test_attention_that_is_not_causal_is_an_error() -> None:
    """An encoder has full attention in every layer and calls the function, which would hide the tokens ahead."""
    config = BertConfig(vocab_size=256, hidden_size=64, num_hidden_layers=1, num_attention_heads=4)
    encoder = BertModel._from_config(config, attn_implementation="ulysses")
    snippet.check_layers(encoder)
    with pytest.raises(ValueError, match="causal attention only"):
        encoder(input_ids=tokens().cpu())


class OfKind:
    """What `check_layers` sees of a model."""

    def __init__(self, config: object) -> None:
        self.config = config

    def is_backend_compatible(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (Qwen3_5Config(), "linear_attention"),  # In the configuration of its text part.
        (Qwen3NextConfig(), "linear_attention"),
        (MambaConfig(), "linear_attention"),
        (Lfm2Config(full_attn_idxs=[2]), "conv"),
        (Llama4TextConfig(), "chunked_attention"),
        (Gemma3TextConfig(), "sliding_attention"),
    ],
    ids=lambda case: type(case).__name__,
)
@pytest.mark.claim(
    "parallelism#sequence-parallelism",
    "accelerate/big_modeling.py::_refuse_recurrent_layers_under_sequence_parallelism",
    "transformers/configuration_utils.py::ALLOWED_ATTN_LAYER_TYPES",
)
def test_layers_whose_tokens_cannot_be_split_are_an_error(config: object, kind: str) -> None:
    with pytest.raises(ValueError, match=f"cannot split the tokens of layers: .*{kind}"):
        snippet.check_layers(OfKind(config))


@pytest.mark.parametrize("rope", [
    {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0},
    {"rope_type": "longrope", "rope_theta": 1e4, "original_max_position_embeddings": 8,
     "short_factor": [1.0] * 4, "long_factor": [4.0] * 4},
], ids=lambda rope: rope["rope_type"])
@pytest.mark.claim(
    "parallelism#sequence-parallelism", "transformers/modeling_rope_utils.py::dynamic_rope_update"
)
def test_frequencies_that_follow_the_length_are_an_error(rope: dict) -> None:
    """The first half of a row, as the first rank has it, is rotated in another way than in the whole row."""
    model = tiny_model(rope_parameters=rope, max_position_embeddings=8)
    hidden, positions = torch.zeros(1), torch.arange(16)[None]
    part, whole = (model.model.rotary_emb(hidden, seen)[0][:, :8] for seen in (positions[:, :8], positions))
    assert not torch.allclose(part, whole)
    with pytest.raises(ValueError, match=f"rotate differently .*{rope['rope_type']}"):
        snippet.check_layers(model)


@pytest.mark.parametrize("config", [LlamaConfig(), Qwen2Config(), Qwen3Config(), Mistral3Config()])
def test_layers_of_full_attention_are_none(config: object) -> None:
    snippet.check_layers(OfKind(config))


@pytest.mark.parametrize("config", [
    BloomConfig(vocab_size=256, hidden_size=64, n_layer=2, n_head=4),
    CodeGenConfig(vocab_size=256, n_embd=64, n_layer=2, n_head=4, rotary_dim=8),
    RwkvConfig(vocab_size=256, hidden_size=64, num_hidden_layers=2),
    xLSTMConfig(vocab_size=256, hidden_size=64, num_hidden_layers=2, num_heads=4),
], ids=lambda config: config.model_type)
@pytest.mark.claim(
    "parallelism#sequence-parallelism",
    "transformers/modeling_utils.py::PreTrainedModel.is_backend_compatible",
    "transformers/modeling_utils.py::PreTrainedModel._supports_attention_backend",
)
def test_a_model_that_never_calls_it_is_an_error(config: PretrainedConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers takes the name of the implementation, and the model attends in its own code."""
    called = []
    monkeypatch.setitem(AttentionInterface._global_mapping, "ulysses", lambda *states, **options: called.append(1))
    model = AutoModelForCausalLM.from_config(config, attn_implementation="ulysses")
    model(input_ids=tokens().cpu(), use_cache=False)
    assert not called
    with pytest.raises(ValueError, match=f"{config.model_type} does not call ulysses"):
        snippet.check_layers(model)


def router_gradients() -> tuple[list[torch.Tensor], list[float]]:
    """The router's gradients by the snippet, and the model's own loss, without a balancing loss and with one."""
    ids, gradients, losses = tokens(rows=2), [], []
    for balanced in (False, True):
        torch.manual_seed(0)
        config = MixtralConfig(
            vocab_size=256, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=4,
            num_key_value_heads=2, num_local_experts=4, output_router_logits=balanced, router_aux_loss_coef=10.0,
        )
        model = MixtralForCausalLM._from_config(config, attn_implementation="ulysses").to(ids.device)
        losses.append(model(input_ids=ids, labels=ids, use_cache=False).loss.item())
        snippet.backward(model, ids, ids)
        gradients.append(model.model.layers[0].mlp.gate.weight.grad.cpu())
    return gradients, losses


@pytest.mark.claim(
    "parallelism#sequence-parallelism",
    "transformers/models/mixtral/modeling_mixtral.py::MixtralForCausalLM.forward",
)
def test_the_balancing_loss_of_a_mixture_of_experts_is_not_included() -> None:
    ((gradients, losses),) = on_ranks(router_gradients, 1)
    assert losses[1] > losses[0] + 1
    assert torch.equal(*gradients)
