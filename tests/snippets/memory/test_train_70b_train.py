"""The program for 70 billion parameters trains what it shards, as the simulation has it, and writes what it trained."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from _fsdp2 import on_ranks
from train_70b import FakeStore, ResizedMemory, dist, highest, passes, simulate

from snippets.memory import train_70b_train as snippet
from tests.snippets.memory.test_train_70b import config

pytestmark = pytest.mark.needs(device="cpu")


def test_the_loss_falls_and_the_checkpoint_has_what_was_trained() -> None:
    for seen in on_ranks(snippet.on_rank, snippet.PROCESSES):
        assert seen["same"]
        assert seen["bytes"] == pytest.approx(1, rel=0.01)
    first, *_, last = on_ranks(snippet.on_rank, snippet.PROCESSES)[0]["losses"]
    assert last < first - 0.1


def test_texts_are_cut_into_sequences_of_one_length(tmp_path: Path) -> None:
    class Letters:
        eos_token_id = 0

        def __call__(self, text: str) -> SimpleNamespace:
            return SimpleNamespace(input_ids=[ord(letter) - 96 for letter in text])

    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in ("abc", "de", "fgh")))
    assert snippet.read_sequences(str(file), Letters(), length=3).tolist() == [[1, 2, 3], [0, 4, 5], [0, 6, 7]]


def test_a_rank_holds_what_the_simulation_of_its_units_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Units are those of `train_70b.sharded`, but that the last norm is in the head's."""
    shape = config(3)
    simulated = sum(highest(simulate(shape, length=32)))
    snippet.AutoModelForCausalLM.from_config(shape, dtype=torch.bfloat16).save_pretrained(tmp_path)
    dist.init_process_group("fake", rank=0, world_size=8, store=FakeStore())
    try:
        memory = ResizedMemory()
        passes(memory, snippet.load(str(tmp_path), 8), 32)
    finally:
        dist.destroy_process_group()
    assert sum(highest(memory)) == pytest.approx(simulated, rel=0.01)
