"""Checkpointing and accumulation shrink the activations and nothing else."""

import pytest

from snippets.train_one import memory_of_a_step as snippet

from _tiny import tiny_batch, tiny_model


@pytest.fixture(scope="module")
def techniques() -> dict[str, snippet.StepMemory]:
    return snippet.techniques()


def test_weights_gradients_and_optimizer_take_4_4_and_8_bytes_a_parameter(
    techniques: dict[str, snippet.StepMemory],
) -> None:
    parameters = sum(parameter.numel() for parameter in tiny_model().parameters())
    for memory in techniques.values():
        assert memory.weights == memory.gradients == 4 * parameters
        assert memory.optimizer == 8 * parameters


def test_accumulation_keeps_the_activations_of_one_row_in_place_of_eight(
    techniques: dict[str, snippet.StepMemory],
) -> None:
    eighth = techniques["plain"].activations / 8
    assert techniques["accumulation, 8 x 1 row"].activations == pytest.approx(eighth, rel=0.01)


def test_of_unequal_batches_the_largest_counts() -> None:
    small, large = tiny_batch(1, 64), tiny_batch(4, 64)
    alone = snippet.measure(tiny_model(), [large]).activations
    assert snippet.measure(tiny_model(), [small, large]).activations == alone
    assert snippet.measure(tiny_model(), [large, small]).activations == alone


def test_checkpointing_saves_most_of_the_activations_and_both_save_more(
    techniques: dict[str, snippet.StepMemory],
) -> None:
    assert techniques["checkpointing"].activations < techniques["plain"].activations / 4
    assert techniques["both"].activations < techniques["checkpointing"].activations / 7


def test_activations_grow_with_the_rows() -> None:
    plain = [snippet.techniques(rows)["plain"].activations for rows in (4, 8)]
    assert plain[1] == pytest.approx(2 * plain[0], rel=0.01)


def test_frozen_weights_have_no_gradient() -> None:
    model = tiny_model()
    trained = list(model.model.layers[0].parameters())
    for parameter in model.parameters():
        parameter.requires_grad_(any(parameter is each for each in trained))
    memory = snippet.measure(model, [tiny_batch(1, 64)])
    assert memory.gradients == sum(each.nbytes for each in trained) < memory.weights
