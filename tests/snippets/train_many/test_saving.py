"""What the page on several GPUs says of saving: a model cut by hand cannot be saved by `save_pretrained`."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from _train_many import on_ranks, tiny_model
from torch.distributed.fsdp import fully_shard

pytestmark = pytest.mark.needs(devices=2)


def save_what_is_cut_by_hand() -> list[str]:
    """The files that `save_pretrained` leaves on a rank, for a model that `fully_shard` has cut."""
    model = tiny_model()
    for layer in model.model.layers:
        fully_shard(layer)
    fully_shard(model)
    with TemporaryDirectory() as folder:
        with suppress(RuntimeError):
            model.save_pretrained(folder)
        return [file.name for file in Path(folder).glob("*.safetensors*")]


@pytest.mark.claim(
    "perf_train_gpu_many#what-goes-wrong", "transformers/modeling_utils.py::PreTrainedModel.save_pretrained"
)
def test_a_model_that_is_cut_by_hand_is_not_saved() -> None:
    assert on_ranks(save_what_is_cut_by_hand, 2) == [[], []]
