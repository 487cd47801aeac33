"""A checkpoint that one mesh wrote goes on in another, with the optimizer's state."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _fsdp2 import on_ranks, tiny_model, tokens, whole
from peft import LoraConfig, PeftModel, get_peft_model
from torch import nn
from torch.distributed.fsdp import fully_shard
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


def resumed_after(spoil: str, folder: str) -> float:
    """The largest difference of the weights from those of a run that went on, where the new run was used before."""
    written, optimizer = snippet.build(machines=2)
    snippet.train(written, optimizer)
    snippet.save(written, optimizer, folder)
    read, other = snippet.build(machines=1)
    if spoil == "gradients":
        read(input_ids=tokens(), labels=tokens()).loss.backward()
    if spoil == "entries":  # As `train()` of schedule-free AdamW leaves them.
        other.state.update({parameter: {} for parameter in read.parameters()})
    snippet.load(read, other, folder)
    snippet.train(written, optimizer)
    snippet.train(read, other)
    pairs = [(whole(a), whole(b)) for a, b in zip(written.parameters(), read.parameters(), strict=True)]
    return max((ours - theirs).abs().max().item() for ours, theirs in pairs)


@pytest.mark.parametrize("spoil", ["gradients", "entries"])
@pytest.mark.claim("fsdp2#checkpoints", "torch/distributed/checkpoint/state_dict.py::_init_optim_state")
def test_gradients_and_empty_entries_do_not_keep_the_state_from_being_read(tmp_path: Path, spoil: str) -> None:
    assert max(on_ranks(partial(resumed_after, spoil, str(tmp_path)), snippet.PROCESSES)) < 1e-4


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


def tied() -> nn.Module:
    model = tiny_model()
    model.lm_head.weight = model.model.embed_tokens.weight
    return model


def with_an_adapter() -> nn.Module:
    return get_peft_model(tiny_model(), LoraConfig(r=4, target_modules=["q_proj", "o_proj"]))


def with_an_unused_layer() -> nn.Module:
    model = tiny_model()
    model.unused = nn.Linear(8, 8)
    return model


def resumed(folder: str, frozen: bool, build: Callable[[], nn.Module]) -> float:
    """The largest difference of the weights from those of a run that went on, two steps after a checkpoint."""
    models = [build(), build()]
    optimizers = []
    for number, model in enumerate(models):
        if frozen and number:
            model.unused.requires_grad_(False)
        for layer in model.get_submodule("base_model.model.model" if isinstance(model, PeftModel) else "model").layers:
            fully_shard(layer)
        fully_shard(model)
        optimizers.append(torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2))
    snippet.train(models[0], optimizers[0])
    snippet.save(models[0], optimizers[0], folder)
    snippet.load(models[1], optimizers[1], folder)
    for model, optimizer in zip(models, optimizers, strict=True):
        snippet.train(model, optimizer)
    pairs = [(whole(a), whole(b)) for a, b in zip(models[0].parameters(), models[1].parameters(), strict=True)]
    return max((ours - theirs).abs().max().item() for ours, theirs in pairs)


def resumed_in_each_way(folder: str) -> list[float | str]:
    seen: list[float | str] = []
    for build, frozen in ((tied, False), (with_an_adapter, False), (with_an_unused_layer, False),
                          (with_an_unused_layer, True)):  # fmt: skip
        try:
            seen.append(resumed(f"{folder}/{len(seen)}", frozen, build))
        except dcp.api.CheckpointException as error:
            seen.append(str(error))
    return seen


@pytest.mark.claim("fsdp2#failures", "torch/distributed/checkpoint/default_planner.py::create_default_local_load_plan")
def test_a_parameter_without_a_gradient_has_no_state_to_load_unless_it_is_frozen(tmp_path: Path) -> None:
    tied_head, adapter, unused, frozen = on_ranks(partial(resumed_in_each_way, str(tmp_path)), snippet.PROCESSES)[0]
    assert tied_head < 1e-6 and adapter < 1e-6 and frozen < 1e-6
    assert "Missing key in checkpoint state_dict: optimizer.state.unused" in unused
