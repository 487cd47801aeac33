"""HSDP holds a half on each rank of two machines of two, all-reduces across machines, and gives the same gradients."""

from collections import Counter

import pytest
import torch
import torch.distributed as dist
from _fsdp2 import PROCESSES, on_ranks, tiny_model, tokens
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.debug import CommDebugMode

from snippets.fsdp2 import hsdp as snippet
from snippets.fsdp2.hsdp import Step

pytestmark = pytest.mark.needs(devices=4)
LAYERS = 3
HSDP, MIXED, FSDP = range(3)


@pytest.fixture(scope="module")
def ranks() -> list[list[Step]]:
    return on_ranks(snippet.steps, snippet.PROCESSES)


@pytest.mark.parametrize("way", [HSDP, FSDP])
def test_the_gradients_are_those_of_all_rows(ranks: list[list[Step]], way: int) -> None:
    assert all(steps[way].difference < 1e-5 for steps in ranks)


def test_mixed_precision_keeps_fp32_weights_and_rounds_the_gradients(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[MIXED].dtype == torch.float32
        assert 1e-4 < steps[MIXED].difference < 0.05


def test_a_rank_holds_a_half_or_a_quarter(ranks: list[list[Step]]) -> None:
    for way, share in {HSDP: 1 / 2, MIXED: 1 / 2, FSDP: 1 / 4}.items():
        shares = [steps[way].share for steps in ranks]
        assert sum(shares) == pytest.approx(len(shares) * share)
        assert shares == pytest.approx([share] * len(shares), rel=0.03)  # A vocabulary of 251 does not divide.


def test_gradients_cross_machines_once_per_unit(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[HSDP].counts == {
            "all-gather": 2 * LAYERS + 1, "reduce-scatter": LAYERS + 1, "all-reduce": LAYERS + 1
        }
        assert steps[FSDP].counts == {"all-gather": 2 * LAYERS + 1, "reduce-scatter": LAYERS + 1, "all-reduce": 0}


def mesh_of_one_machine() -> dict[str, int]:
    mesh = snippet.hsdp_mesh("cpu", 1, PROCESSES)
    return {name: mesh[name].size() for name in ("replicate", "shard")}


def test_a_machine_shards_over_its_devices() -> None:
    assert on_ranks(mesh_of_one_machine, PROCESSES) == [{"replicate": 1, "shard": PROCESSES}] * PROCESSES


def bf16_states() -> set[torch.dtype]:
    """The types of AdamW's state for a model that was loaded as bf16 checkpoints are."""
    model = tiny_model(torch.bfloat16)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    model(input_ids=torch.ones(1, 4, dtype=torch.long), labels=torch.ones(1, 4, dtype=torch.long)).loss.backward()
    optimizer.step()
    return {state["exp_avg"].dtype for state in optimizer.state.values()}


def test_a_model_loaded_in_bf16_has_bf16_state() -> None:
    assert on_ranks(bf16_states, 2) == [{torch.bfloat16}] * 2


def accumulated(switch: str) -> tuple[float, float, dict[str, int]]:
    """Whole and sharded gradients after the first batch of two, in bytes a parameter, and the transfers of both."""
    rows = tokens().chunk(PROCESSES)[dist.get_rank()]
    model = snippet.shard(tiny_model(), snippet.mesh_of(2), snippet.MIXED)
    groups = [group for module in model.modules() if hasattr(module, "_get_fsdp_state")
              for group in module._get_fsdp_state()._fsdp_param_groups]
    first, last = CommDebugMode(), CommDebugMode()
    getattr(model, switch)(False)
    with first:
        model(input_ids=rows, labels=rows).loss.backward()
        whole = [p.unsharded_accumulated_grad for group in groups for p in group.fsdp_params]
        sharded = [group._partial_reduce_output for group in groups]
        sizes = [sum(each.nbytes for each in kept if each is not None) for kept in (whole, sharded)]
    getattr(model, switch)(True)
    with last:
        model(input_ids=rows, labels=rows).loss.backward()
    counts = Counter(first.get_comm_counts()) + Counter(last.get_comm_counts())
    names = {"scatters": "_reduce_scatter_base_", "all-reduces": "allreduce_"}
    parameters = sum(parameter.numel() for parameter in tiny_model().parameters())
    transfers = {name: counts[getattr(torch.ops.c10d, operator)] for name, operator in names.items()}
    return sizes[0] / parameters, sizes[1] / parameters, transfers


def both_switches() -> dict[str, tuple[float, float, dict[str, int]]]:
    return {switch: accumulated(switch) for switch in ("set_requires_all_reduce", "set_requires_gradient_sync")}


@pytest.mark.claim(
    "fsdp2#hsdp",
    "torch/distributed/fsdp/_fully_shard/_fully_shard.py::FSDPModule.set_requires_all_reduce",
    "transformers/trainer.py::Trainer._defer_fsdp_gradient_reduction",
)
def test_without_the_all_reduce_gradients_stay_sharded_and_without_the_sync_they_are_whole() -> None:
    for seen in on_ranks(both_switches, PROCESSES):
        whole, sharded, transfers = seen["set_requires_all_reduce"]
        assert (whole, sharded) == (0, pytest.approx(2, rel=0.05))  # fp32, on two ranks
        assert transfers == {"scatters": 2 * (LAYERS + 1), "all-reduces": LAYERS + 1}
        whole, sharded, transfers = seen["set_requires_gradient_sync"]
        assert (whole, sharded) == (4, 0)
        assert transfers == {"scatters": LAYERS + 1, "all-reduces": LAYERS + 1}
