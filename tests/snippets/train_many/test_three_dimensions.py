"""Eight processes, each with an eighth of the layers' matrices, have one process's gradients."""

from types import SimpleNamespace

import pytest
import torch
from _train_many import device, on_ranks, tiny_model
from transformers import Qwen3Config, Qwen3ForCausalLM

from snippets.train_many import three_dimensions as snippet
from snippets.train_many.three_dimensions import Step

pytestmark = pytest.mark.needs(devices=8)

# fp32 sums in another order; the gradients agree to six digits or so. On a GPU, bf16 has three digits.
SAME = 2e-2 if torch.cuda.is_available() else 1e-5


@pytest.fixture(scope="module")
def ranks() -> list[Step]:
    return on_ranks(snippet.step, snippet.PROCESSES)


def test_every_rank_has_a_place_of_its_own(ranks: list[Step]) -> None:
    assert sorted(step.place for step in ranks) == [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]


def test_the_gradients_are_those_of_all_rows_on_one_process(ranks: list[Step]) -> None:
    for step in ranks:
        assert step.difference < SAME


@pytest.mark.parametrize("rows", [6, 7])
def test_a_batch_that_does_not_divide_is_an_error_before_anything_is_sent(rows: int) -> None:
    mesh = SimpleNamespace(get_local_rank=lambda name: 0)
    with pytest.raises(ValueError, match=f"{rows} rows"):
        snippet.train_step(None, None, mesh, torch.zeros(rows, 4, dtype=torch.long))


def test_no_rank_keeps_the_logits_of_the_microbatches(ranks: list[Step]) -> None:
    assert [step.outputs_kept for step in ranks] == [0] * snippet.PROCESSES


def test_the_replicas_share_the_rows_and_the_stages_see_the_same(ranks: list[Step]) -> None:
    by_place = {step.place: step.rows for step in ranks}
    assert sorted(by_place[0, 0, 0] + by_place[0, 1, 0]) == list(range(8))
    for (_, replica, _), rows in by_place.items():
        assert rows == by_place[0, replica, 0]


def test_a_matrix_of_a_layer_is_in_four_parts_on_the_four_ranks_of_its_stage(ranks: list[Step]) -> None:
    matrices = {name: p for name, p in tiny_model().named_parameters() if "layers" in name and p.dim() == 2}
    seen = 0
    for step in ranks:
        for name in matrices.keys() & step.local_shapes.keys():
            rows, columns = step.local_shapes[name]
            assert rows * columns * 4 == matrices[name].numel()
            seen += 1
    assert seen == 4 * len(matrices)


def with_norms() -> Qwen3ForCausalLM:
    """A model whose queries and keys are normalized head by head."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "head_dim": 16}
    config = Qwen3Config(**sizes, num_attention_heads=4, num_key_value_heads=2, dtype=torch.float32)
    return Qwen3ForCausalLM(config).to(device())


def norms_of_a_rank() -> Step:
    return snippet.step(with_norms)


def test_norms_of_queries_and_keys_get_the_gradients_of_all_heads() -> None:
    for step in on_ranks(norms_of_a_rank, snippet.PROCESSES):
        assert step.worst < SAME
