"""A checkpoint that one mesh wrote goes on in another, with the optimizer's state."""

from functools import partial
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _fsdp2 import on_ranks, tiny_model
from transformers import AutoModelForCausalLM
from transformers.distributed import DistributedConfig

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


def save_on_disks_of_their_own(folder: str) -> tuple[list[str], str]:
    """The files of a machine that shares no folder with the other one, and what loading them raises."""
    machine = Path(folder, f"machine-{dist.get_rank() // 2}")
    model, optimizer = snippet.build(machines=2)
    snippet.train(model, optimizer)
    snippet.save(model, optimizer, str(machine))
    dist.barrier()
    try:
        snippet.load(model, optimizer, str(machine))
    except dcp.api.CheckpointException as error:
        return sorted(path.name for path in machine.iterdir()), str(error)
    return [], "loaded"


def test_machines_without_a_shared_folder_save_but_cannot_load(tmp_path: Path) -> None:
    first, _, _, last = on_ranks(partial(save_on_disks_of_their_own, str(tmp_path)), snippet.PROCESSES)
    assert first[0] == [".metadata", "__0_0.distcp", "__1_0.distcp"]
    assert last[0] == ["__2_0.distcp", "__3_0.distcp"]
    assert ".metadata" in first[1] and ".metadata" in last[1]


def export_what_transformers_sharded(folder: str) -> None:
    """The export of a model that was sharded while it was loaded."""
    model = AutoModelForCausalLM.from_pretrained(
        f"{folder}/whole", dtype=torch.float32, distributed_config=DistributedConfig(fsdp_size=2)
    )
    snippet.export(model, f"{folder}/exported")


@pytest.mark.claim(
    "fsdp2#checkpoints",
    "transformers/distributed/mixin.py::DistributedMixin.gather_sharded_state_dict_for_save",
    "transformers/distributed/mixin.py::DistributedMixin.barrier_after_gathered_checkpoint_save",
)
def test_a_model_that_transformers_sharded_is_exported_too(tmp_path: Path) -> None:
    whole = tiny_model()
    whole.save_pretrained(tmp_path / "whole")
    on_ranks(partial(export_what_transformers_sharded, str(tmp_path)), 2)
    exported = AutoModelForCausalLM.from_pretrained(tmp_path / "exported", dtype=torch.float32).to(whole.device)
    assert all(torch.equal(a, b) for a, b in zip(exported.parameters(), whole.parameters(), strict=True))
