"""Every rank has half of each row, attends with half of the heads over all of it, and gets one process's results."""

import pytest
from _train_many import on_ranks, tiny_model, tokens
from transformers import (
    Gemma3TextConfig,
    Lfm2Config,
    Llama4TextConfig,
    LlamaConfig,
    MambaConfig,
    Mistral3Config,
    Qwen2Config,
    Qwen3_5Config,
    Qwen3Config,
    Qwen3NextConfig,
)

from snippets.train_many import sequence_parallel as snippet
from snippets.train_many.sequence_parallel import Step

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the values agree to six digits or so.
SAME = 1e-5
ROWS, HEADS, LAYERS, NUMBERS = 8, 8, 4, 8
GROUPED, ONE_KV_HEAD, PADDED_ON_THE_LEFT = range(3)
# Tokens of a row, padded to a multiple of the ranks, and the KV heads that a rank attends to.
SHAPES = {GROUPED: (18, 2), ONE_KV_HEAD: (18, 4), PADDED_ON_THE_LEFT: (16, 2)}


@pytest.fixture(scope="module")
def ranks() -> list[list[Step]]:
    return on_ranks(snippet.steps, snippet.PROCESSES)


@pytest.mark.parametrize("case", SHAPES)
def test_the_gradients_are_those_of_one_process(ranks: list[list[Step]], case: int) -> None:
    for steps in ranks:
        assert steps[case].gradients_difference < SAME


@pytest.mark.parametrize("case", SHAPES)
def test_a_rank_has_half_of_each_row_and_attends_with_half_of_the_heads(ranks: list[list[Step]], case: int) -> None:
    length, heads = SHAPES[case]
    for steps in ranks:
        assert steps[case].tokens_a_row == length // 2
        query, key = (ROWS, HEADS // 2, length, NUMBERS), (ROWS, heads, length, NUMBERS)
        assert steps[case].attended == {(query, key)}


def test_queries_keys_values_and_outputs_are_exchanged_in_each_pass(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert {step.exchanges for step in steps} == {2 * 4 * LAYERS}


@pytest.mark.parametrize("name", ["sliding_window", "softcap", "s_aux"])
@pytest.mark.claim("perf_train_gpu_many#sequence-parallelism", "transformers/integrations/sdpa_attention.py")
def test_what_it_does_not_implement_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match=f"does not implement {name}"):
        snippet.ulysses(None, None, None, None, None, scaling=1.0, **{name: 1.0})


class OfKind:
    """What `check_layers` sees of a model."""

    def __init__(self, config: object) -> None:
        self.config = config


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
    "perf_train_gpu_many#sequence-parallelism",
    "accelerate/big_modeling.py::_refuse_recurrent_layers_under_sequence_parallelism",
    "transformers/configuration_utils.py::ALLOWED_ATTN_LAYER_TYPES",
)
def test_layers_whose_tokens_cannot_be_split_are_an_error(config: object, kind: str) -> None:
    with pytest.raises(ValueError, match=f"cannot split the tokens of layers: .*{kind}"):
        snippet.check_layers(OfKind(config))


@pytest.mark.parametrize("config", [LlamaConfig(), Qwen2Config(), Qwen3Config(), Mistral3Config()])
def test_layers_of_full_attention_are_none(config: object) -> None:
    snippet.check_layers(OfKind(config))


def test_the_step_checks_the_layers() -> None:
    model = tiny_model()
    model.config.layer_types = ["full_attention", "linear_attention"] * 2
    with pytest.raises(ValueError, match="linear_attention"):
        snippet.backward(model, tokens(), tokens())
