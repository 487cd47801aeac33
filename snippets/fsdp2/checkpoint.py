"""Distributed checkpoints: every rank writes its shards, and another number of ranks can read them."""

from pathlib import Path
from tempfile import TemporaryDirectory

import torch.distributed as dist
from _fsdp2 import PROCESSES, on_ranks, tiny_model, tokens, whole
from hsdp import mesh_of, shard
from torch.distributed.fsdp import MixedPrecisionPolicy

# isort: split
# --8<-- [start:save]
import torch
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_state_dict,
    set_state_dict,
)
from transformers import PreTrainedModel


def save(
    model: nn.Module, optimizer: torch.optim.Optimizer, folder: str
) -> None:
    weights, states = get_state_dict(model, optimizer)
    dcp.save({"model": weights, "optimizer": states}, checkpoint_id=folder)


def load(
    model: nn.Module, optimizer: torch.optim.Optimizer, folder: str
) -> None:
    # With gradients or entries, new state is not made, so none is read.
    optimizer.zero_grad()
    optimizer.state.clear()
    weights, states = get_state_dict(model, optimizer)
    state = {"model": weights, "optimizer": states}
    # Reads into these tensors, whatever the ranks were that wrote them.
    dcp.load(state, checkpoint_id=folder)
    set_state_dict(
        model,
        optimizer,
        model_state_dict=state["model"],
        optim_state_dict=state["optimizer"],
    )
# --8<-- [end:save]


# --8<-- [start:export]
def export(model: PreTrainedModel, folder: str) -> None:
    # Loaded by DistributedConfig: it gathers by itself, on all ranks.
    if getattr(model.config, "distributed_config", None) is not None:
        model.save_pretrained(folder)
        return
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    # A collective call: all ranks take part, the first one gets it all.
    weights = get_model_state_dict(model, options=options)
    if torch.distributed.get_rank() == 0:
        model.save_pretrained(folder, state_dict=weights)
# --8<-- [end:export]


def build(machines: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    """The model on a mesh, and its optimizer."""
    model = shard(tiny_model(), mesh_of(machines), MixedPrecisionPolicy())
    return model, torch.optim.AdamW(model.parameters(), lr=1e-2)


def train(model: nn.Module, optimizer: torch.optim.Optimizer, steps: int = 2) -> None:
    """A few steps on this rank's rows."""
    rows = tokens().chunk(PROCESSES)[dist.get_rank()]
    for _ in range(steps):
        model(input_ids=rows, labels=rows).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def on_rank() -> dict[str, object]:
    """What one rank sees: written from a mesh of 2 x 2, read on 1 x 4, trained on in both."""
    with TemporaryDirectory() as mine:
        folders = [mine]
        dist.broadcast_object_list(folders)
        folder = Path(folders[0])
        written, optimizer = build(machines=2)
        train(written, optimizer)
        save(written, optimizer, str(folder / "step-2"))
        read, other = build(machines=1)
        load(read, other, str(folder / "step-2"))
        same = all(
            torch.equal(whole(a), whole(b)) for a, b in zip(written.parameters(), read.parameters(), strict=True)
        )
        train(written, optimizer)
        train(read, other)
        pairs = [(whole(a), whole(b)) for a, b in zip(written.parameters(), read.parameters(), strict=True)]
        export(read, str(folder / "exported"))
        dist.barrier()
        seen = {
            "files": sorted(path.name for path in (folder / "step-2").iterdir()),
            "same": same,
            "difference": max((ours - theirs).abs().max().item() for ours, theirs in pairs),
            "exported": sorted(path.name for path in (folder / "exported").glob("*.safetensors")),
        }
        dist.barrier()
    return seen


def main() -> None:
    seen = on_ranks(on_rank, PROCESSES)[0]
    print(f"Written by a mesh of 2 x 2: {', '.join(seen['files'])}")
    print(f"Read by a mesh of 1 x 4, the weights are the same: {seen['same']}")
    print(f"After two more steps on both, the largest difference: {seen['difference']:.6f}")
    print(f"Exported for from_pretrained: {', '.join(seen['exported'])}")


if __name__ == "__main__":
    main()
