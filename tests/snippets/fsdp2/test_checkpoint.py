"""A checkpoint that one mesh wrote goes on in another, with the optimizer's state."""

import pytest
from _fsdp2 import on_ranks

from snippets.fsdp2 import checkpoint as snippet

pytestmark = pytest.mark.needs(devices=4)


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, object]]:
    return on_ranks(snippet.on_rank, snippet.PROCESSES)


def test_every_rank_writes_a_file(ranks: list[dict[str, object]]) -> None:
    assert ranks[0]["files"] == [".metadata", *(f"__{rank}_0.distcp" for rank in range(4))]


def test_the_weights_are_the_same_on_another_mesh(ranks: list[dict[str, object]]) -> None:
    assert [seen["same"] for seen in ranks] == [True] * 4


def test_training_goes_on_as_it_would_have(ranks: list[dict[str, object]]) -> None:
    """A state that was lost would move weights by about the learning rate."""
    assert all(seen["difference"] < 1e-4 for seen in ranks)


def test_the_exported_model_is_one_file_for_from_pretrained(ranks: list[dict[str, object]]) -> None:
    assert ranks[0]["exported"] == ["model.safetensors"]
