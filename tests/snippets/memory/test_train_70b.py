"""The simulated rank of eight holds what FSDP gathers and frees, and no more layers at a time than it should."""

import pytest
import torch
from transformers import LlamaConfig

from snippets.memory import train_70b as snippet


def config(layers: int) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=800, hidden_size=64, intermediate_size=512, num_hidden_layers=layers,
        num_attention_heads=8, num_key_value_heads=8,
    )  # fmt: skip


LAYER = 4 * 64 * 64 + 3 * 64 * 512 + 2 * 64


def test_what_is_freed_is_not_counted() -> None:
    """Layers are gathered one after another: of a further one nothing stays but the input that is kept."""
    few, many = (snippet.simulate(config(layers), length=64) for layers in (4, 8))
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
    assert snippet.highest(memory) == 1200
    assert sum(size for _, size in memory.timeline) == 0
    assert torch.UntypedStorage.resize_ is memory.original


def test_the_passes_of_one_rank_are_those_of_real_tensors() -> None:
    """The step on real tensors, by the same process group, needs what the simulation says, within a percent."""
    simulated = snippet.simulate(config(3), length=32)
    dist = snippet.dist
    dist.init_process_group("fake", rank=0, world_size=8, store=snippet.FakeStore())
    try:
        memory = snippet.ResizedMemory()
        snippet.passes(memory, snippet.sharded(config(3), dist.init_device_mesh("cpu", (8,))), 32)
    finally:
        dist.destroy_process_group()
    assert snippet.highest(memory) == pytest.approx(simulated, rel=0.01)


def test_16_bytes_a_parameter_on_eight_ranks_are_two() -> None:
    held = dict(snippet.held(1000))
    assert sum(held["AdamW in fp32"]) == 2000
    assert held["8-bit AdamW"] == pytest.approx([250, 250, 253.90625])
    assert held["LoRA"] == [250, 0, 0]
    assert sum(held["CPU offload"]) == 0


def test_the_table_adds_the_passes_to_what_a_rank_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(snippet, "LLAMA_70B", config(2))
    monkeypatch.setattr(snippet, "simulate", lambda config, length: 10**9)
    snippet.main()
    title, _, *rows = capsys.readouterr().out.splitlines()
    assert "on 8 ranks" in title and "4,096 tokens" in title
    assert [row[:18].strip() for row in rows] == list(snippet.METHODS)
    assert rows[-1].split()[-2:] == ["1.00", "1.00"]
