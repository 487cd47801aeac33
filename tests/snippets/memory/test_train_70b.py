"""The simulated rank of eight holds what FSDP gathers and frees, and no more layers at a time than it should."""

import functools
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import bitsandbytes as bnb
import pytest
import torch
from torch import nn
from torchao.optim import AdamW8bit
from transformers import Adafactor, LlamaConfig, Trainer

from snippets.memory import train_70b as snippet
from tests.snippets.small_gradients import measure_steps

pytestmark = pytest.mark.needs(device="cpu")


def config(layers: int) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=800, hidden_size=64, intermediate_size=512, num_hidden_layers=layers,
        num_attention_heads=8, num_key_value_heads=8,
    )  # fmt: skip


LAYER = 4 * 64 * 64 + 3 * 64 * 512 + 2 * 64


def test_what_is_freed_is_not_counted() -> None:
    """Layers are gathered one after another: of a further one nothing stays but the input that is kept."""
    few, many = (snippet.highest(snippet.simulate(config(layers), length=64), 0)[1] for layers in (4, 8))
    kept = 4 * 64 * 64 * 2
    assert many - few <= kept < 4 * 2 * LAYER


def test_a_storage_counts_with_its_size_of_the_moment() -> None:
    memory = snippet.ResizedMemory()
    with memory:
        tensor = torch.zeros(100)
        tensor.untyped_storage().resize_(0)
        tensor.untyped_storage().resize_(1200)
        del tensor
        torch.zeros(50)
    assert snippet.highest(memory) == (0, 1200)
    assert sum(size for _, size in memory.timeline) == 0
    assert torch.UntypedStorage.resize_ is memory.original


def test_the_passes_of_one_rank_are_those_of_real_tensors() -> None:
    """The step on real tensors, by the same process group, needs what the simulation says, within a percent."""
    simulated = snippet.highest(snippet.simulate(config(3), length=32))
    dist = snippet.dist
    dist.init_process_group("fake", rank=0, world_size=8, store=snippet.FakeStore())
    try:
        memory = snippet.ResizedMemory()
        snippet.passes(memory, snippet.sharded(config(3), dist.init_device_mesh("cpu", (8,))), 32)
    finally:
        dist.destroy_process_group()
    assert snippet.highest(memory) == pytest.approx(simulated, rel=0.01)


def memory_of(*events: tuple[str, int]) -> snippet.ResizedMemory:
    """A timeline of storages that hold what is named."""
    memory = snippet.ResizedMemory()
    memory.timeline = [(["weights", "gradients", "passes"].index(kind), size) for kind, size in events]
    memory.kinds = {0: "weights", 1: "gradients"}
    return memory


STEP = memory_of(("weights", 70), ("passes", 100), ("passes", -80), ("gradients", 60), ("passes", 10), ("passes", -30))


@pytest.mark.parametrize(
    ("size", "peak"), [(0, (0, 100)), (2, (0, 100)), (4, (120, 30))], ids=["none", "bf16", "fp32"]
)
def test_gradients_and_passes_are_added_where_both_together_are_most(size: int, peak: tuple[int, int]) -> None:
    assert snippet.highest(STEP, size) == peak


def test_a_row_is_what_a_rank_holds_at_the_peak() -> None:
    rows = dict(snippet.at_peak(STEP, 1000))
    assert rows["AdamW in fp32"] == [500, 120, 1000, 30]
    assert rows["8-bit AdamW"] == pytest.approx([250, 0, 253.90625, 100])
    assert rows["LoRA"] == [250, 0, 0, 100]
    assert rows["CPU offload"] == [0, 0, 0, 100]


def test_the_table_adds_the_kinds_up(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(snippet, "LLAMA_70B", config(2))
    monkeypatch.setattr(snippet, "simulate", lambda config, length: memory_of(("gradients", 10**9), ("passes", 10**9)))
    snippet.main()
    title, _, *rows = capsys.readouterr().out.splitlines()
    assert "on 8 ranks" in title and "4,096 tokens" in title
    assert [row[:18].strip() for row in rows] == list(snippet.METHODS)
    assert rows[0].split()[-5:] == ["0.00", "2.00", "0.00", "1.00", "3.00"]
    assert rows[-1].split()[-2:] == ["1.00", "1.00"]


@pytest.mark.claim("train_70b#states", "torchao/optim/adam.py::AdamW8bit._subclass_zeros",
                   "torchao/optim/adam.py::_AdamBase._new_buffer")
def test_8_bit_adamw_of_torchao_fails_on_sharded_weights_in_bf16_and_the_subclass_does_not() -> None:
    dist = snippet.dist
    dist.init_process_group("fake", rank=0, world_size=1, store=snippet.FakeStore())
    try:
        step_of(AdamW8bit, torch.float32)
        with pytest.raises(RuntimeError, match="expected dtype"):
            step_of(AdamW8bit, torch.bfloat16)
        ours, state = step_of(snippet.ShardedAdamW8bit, torch.bfloat16)
    finally:
        dist.destroy_process_group()
    theirs, _ = step_of(AdamW8bit, torch.bfloat16, shard=False)
    assert torch.equal(ours, theirs)
    assert type(state).__name__ == "OptimState8bit"
    with pytest.raises(NotImplementedError, match=r"aten.split"):  # What loading a full state dict calls.
        state.chunk(2)


@pytest.mark.claim("train_70b#states", "torchao/optim/quant_utils.py::create_dynamic_map",
                   "torchao/optim/quant_utils.py::quantize_8bit_with_qmap")
@pytest.mark.parametrize("ratio", [1e-2, 1e-3, 1e-4])
def test_the_subclass_moves_no_value_much_farther_than_adamw(ratio: float) -> None:
    farthest, mean = measure_steps(snippet.ShardedAdamW8bit, ratio)
    assert 1 < farthest < 2
    assert 0.02 < mean < 0.3


def test_only_the_second_moment_of_the_subclass_has_no_zero() -> None:
    values = torch.zeros(4096).index_fill(0, torch.arange(0, 4096, 256), 1)
    first, second = (snippet.ShardedAdamW8bit._subclass_zeros(values, signed, 256) for signed in (True, False))
    assert first.copy_(values).dequantize().min() == 0
    assert 0 < second.copy_(values).dequantize().min() < 1e-5
    assert torch.equal(snippet.ShardedAdamW8bit._subclass_zeros(values, False, 256).dequantize(), torch.zeros(4096))


@pytest.mark.claim("will_it_fit#fields", "transformers/optimization.py::Adafactor.step",
                   "bitsandbytes/optim/optimizer.py::Optimizer2State.update_step")
@pytest.mark.parametrize("kind", [
    bnb.optim.AdamW8bit, functools.partial(Adafactor, scale_parameter=False, relative_step=False)
])
def test_adafactor_and_8_bit_adamw_of_bitsandbytes_fail_on_sharded_weights_alone(kind: Callable) -> None:
    layer, dist = nn.Linear(64, 64, bias=False), snippet.dist
    step(kind(layer.parameters(), lr=1e-3), layer)
    dist.init_process_group("fake", rank=0, world_size=1, store=snippet.FakeStore())
    try:
        snippet.fully_shard(layer, mesh=dist.init_device_mesh("cpu", (1,)))
        with pytest.raises(RuntimeError, match=r"mixed torch.Tensor and DTensor"):
            step(kind(layer.parameters(), lr=1e-3), layer)
    finally:
        dist.destroy_process_group()


def step(optimizer: torch.optim.Optimizer, layer: nn.Module) -> None:
    layer(torch.ones(2, 64, dtype=layer.weight.dtype)).float().square().sum().backward()
    optimizer.step()


def step_of(optimizer: type, dtype: torch.dtype, *, shard: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    """A weight after a step, and its first moment; without the compiler, which raises another error."""
    torch.manual_seed(0)
    layer = nn.Linear(64, 64, bias=False).to(dtype)
    layer = snippet.fully_shard(layer, mesh=snippet.dist.init_device_mesh("cpu", (1,))) if shard else layer
    stepper = optimizer(layer.parameters(), lr=1e-3)
    with torch.compiler.set_stance("force_eager"):
        step(stepper, layer)
    tensors = (layer.weight.detach(), stepper.state[layer.weight]["exp_avg"])
    weight, moment = (tensor.to_local() if shard else tensor for tensor in tensors)
    return weight, moment


@pytest.mark.claim("train_70b#states", "transformers/trainer.py::Trainer.save_model")
@pytest.mark.parametrize("kind", ["FULL_STATE_DICT", "SHARDED_STATE_DICT"])
def test_trainer_writes_no_model_with_a_sharded_state_dict(kind: str, tmp_path: Path) -> None:
    trainer = Mock(is_fsdp_enabled=True)
    trainer.accelerator.state.fsdp_plugin.state_dict_type = kind
    Trainer.save_model(trainer, str(tmp_path))
    assert trainer._save.called == (kind == "FULL_STATE_DICT")
